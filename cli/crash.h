/* Signals that end a program in the middle of its work. */
#ifndef CLI_CRASH_H
#define CLI_CRASH_H

/* Sanitizers report crashes themselves, and look for leaks at exit. */
#if defined(CLI_HAS_SANITIZER) // given
#elif defined(__SANITIZE_ADDRESS__)
#define CLI_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLI_HAS_SANITIZER 1
#endif
#endif

/* From now on a crash, in the program or in a library, ends it with a message and EXIT_FAILED; so does
 * a library that calls exit(). The program itself leaves by _exit(). */
void crash_listen(void);

#endif
