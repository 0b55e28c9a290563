"""A lock for threads that hold it for microseconds, and a condition to wait for; both of POSIX."""

cdef extern from * nogil:
    """
    #include <pthread.h>
    static void lock_make(pthread_mutex_t *lock) {
        pthread_mutexattr_t kind;
        pthread_mutexattr_init(&kind);
    #ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
        /* What is held so shortly is waited for awake: falling asleep takes longer. */
        pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
    #endif
        pthread_mutex_init(lock, &kind);
        pthread_mutexattr_destroy(&kind);
    }
    """
    ctypedef struct Lock "pthread_mutex_t":
        pass
    ctypedef struct Condition "pthread_cond_t":
        pass
    void lock_make(Lock* lock)
    int lock_destroy "pthread_mutex_destroy"(Lock* lock)
    int acquire "pthread_mutex_lock"(Lock* lock)
    int release "pthread_mutex_unlock"(Lock* lock)
    int condition_make "pthread_cond_init"(Condition* condition, const void* attributes)
    int condition_destroy "pthread_cond_destroy"(Condition* condition)
    int wait "pthread_cond_wait"(Condition* condition, Lock* lock)
    int wake_all "pthread_cond_broadcast"(Condition* condition)
