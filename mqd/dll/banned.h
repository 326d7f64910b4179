/*
 * banned.h - makes calls fail to compile that the DLL must not make. Include it after the system's headers.
 *
 * The DLL runs inside a debugger. Memory comes from the debugger; streams and signals belong to the debugger; glibc's
 * qsort allocates memory.
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
