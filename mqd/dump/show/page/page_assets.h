/*
 * page_assets.h - the script and the style of a page, and their hashes for its policy. page_embed.py makes them of
 * page.js and page.css.
 */
#ifndef MQD_DUMP_SHOW_PAGE_ASSETS_H
#define MQD_DUMP_SHOW_PAGE_ASSETS_H

extern const char page_script[], page_style[];
extern const char page_script_hash[], page_style_hash[];   /* "sha256-..." */

#endif
