/* Binds the functions whose symbols glibc moved in 2.32 and 2.34 to the older symbols, which glibc keeps, so that
 * a library built on a newer system runs on glibc 2.17 and later. Include it before everything else; declarations
 * that the compiler does not use leave no trace.
 *
 *     CGO_CFLAGS="-O2 -g -include .../glibc_2_17.h" go build ...      (make wheel)
 */
#if defined(__gnu_linux__) && !defined(__ASSEMBLER__)
#if defined(__x86_64__)
#define ORTHANT_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define ORTHANT_OLDEST "GLIBC_2.17"
#endif
#ifdef ORTHANT_OLDEST
__asm__(".symver pthread_create,pthread_create@" ORTHANT_OLDEST);
__asm__(".symver pthread_getattr_np,pthread_getattr_np@" ORTHANT_OLDEST);
__asm__(".symver pthread_sigmask,pthread_sigmask@" ORTHANT_OLDEST);
__asm__(".symver pthread_attr_getstack,pthread_attr_getstack@" ORTHANT_OLDEST);
__asm__(".symver pthread_attr_getstacksize,pthread_attr_getstacksize@" ORTHANT_OLDEST);
__asm__(".symver pthread_key_create,pthread_key_create@" ORTHANT_OLDEST);
__asm__(".symver pthread_setspecific,pthread_setspecific@" ORTHANT_OLDEST);
#endif
#endif
