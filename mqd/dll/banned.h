/*
 * banned.h - what code in somebody else's process does not call. Include it after the system's headers.
 *
 * Memory comes from the debugger, streams and signals are the debugger's, and glibc's qsort allocates.
 */
#ifndef MQD_DLL_BANNED_H
#define MQD_DLL_BANNED_H

#if defined __GNUC__
#undef alloca
#pragma GCC poison malloc calloc realloc free strdup strndup asprintf vasprintf alloca qsort bsearch
#pragma GCC poison printf fprintf snprintf vsnprintf vprintf vfprintf puts fputs putchar perror fopen fwrite fread
#pragma GCC poison exit _exit abort assert signal raise longjmp setenv sleep usleep nanosleep
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets
#endif

#endif
