/*
 * sanitizer.h - is this a build with a sanitizer?
 */
#ifndef MQD_DUMP_BASE_SANITIZER_H
#define MQD_DUMP_BASE_SANITIZER_H

/*
 * Address, thread and memory sanitizers reserve terabytes of address space, and at the end their process clones itself,
 * traces itself and starts programs that know names of functions. Limits and rules that do not bear with this are left
 * out of such a build, which is for tests only.
 */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HAS_SANITIZER 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

#endif
