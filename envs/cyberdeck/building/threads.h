/* Some threads that share the rows of one loop at a time.
 *
 * A thread that sleeps takes a tenth of a millisecond to wake, as long as some hundred steps. So those
 * here look out for more work for a while before they sleep, and nobody waits for one that has not
 * woken: pieces are taken by whoever is free, the caller among them.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdatomic.h>
#include <stdint.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
typedef SRWLOCK Lock;
typedef CONDITION_VARIABLE Bell;
#define LOCK_INIT SRWLOCK_INIT
#define BELL_INIT CONDITION_VARIABLE_INIT
#define lock(l) AcquireSRWLockExclusive(l)
#define unlock(l) ReleaseSRWLockExclusive(l)
#define wait_for(b, l) SleepConditionVariableSRW(b, l, INFINITE, 0)
#define ring(b) WakeAllConditionVariable(b)
#define process() ((long)GetCurrentProcessId())
#define give_way() ((void)SwitchToThread())
static int64_t now(void)
{
    LARGE_INTEGER count, second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&second);
    return (int64_t)(1e9 * (double)count.QuadPart / (double)second.QuadPart);
}
typedef DWORD(WINAPI *Main)(void *);
#define THREAD_MAIN static DWORD WINAPI
static int start(Main run)
{
    HANDLE made = CreateThread(0, 0, run, 0, 0, 0);
    return made ? CloseHandle(made), 0 : -1;
}
#else
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
typedef pthread_mutex_t Lock;
typedef pthread_cond_t Bell;
#define LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define BELL_INIT PTHREAD_COND_INITIALIZER
#define lock(l) pthread_mutex_lock(l)
#define unlock(l) pthread_mutex_unlock(l)
#define wait_for(b, l) pthread_cond_wait(b, l)
#define ring(b) pthread_cond_broadcast(b)
#define process() ((long)getpid())
#define give_way() ((void)sched_yield())
static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
typedef void *(*Main)(void *);
#define THREAD_MAIN static void *
static int start(Main run)
{
    pthread_t made;
    int failed = pthread_create(&made, 0, run, 0);
    return failed ? -1 : pthread_detach(made);
}
#endif

#if defined(__x86_64__)
#define rest() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define rest() ((void)({ __asm__ volatile("yield"); }))
#else
#define rest() ((void)0)
#endif

/* In nanoseconds: how long a thread looks for more work before it sleeps, what work is worth waking it,
 * and what is worth a piece. */
enum { AWAKE = 100000, WORTH_WAKING = 300000, WORTH_A_PIECE = 8000 };

/* So many pieces for each thread at most: many leave less to wait for at the end, few cost less. */
enum { PIECES = 8 };

typedef void (*Piece)(void *work, int64_t piece);

static struct {
    Piece run;
    void *work;
    int64_t pieces;
    atomic_llong next; /* the piece to take next */
    atomic_int open;   /* how many threads may come in; 0: none */
    atomic_int inside; /* how many threads have come in */
    atomic_uint round; /* counts what there has been to do */
    atomic_int asleep;
    atomic_llong last; /* when there was work last */
    atomic_flag busy;
    Lock lock;
    Bell bell;
    int started;
    long process;
} team = {.busy = ATOMIC_FLAG_INIT, .lock = LOCK_INIT, .bell = BELL_INIT};

static void take_pieces(void)
{
    for (;;) {
        int64_t piece = atomic_fetch_add(&team.next, 1);
        if (piece >= team.pieces)
            return;
        team.run(team.work, piece);
    }
}

THREAD_MAIN help(void *unused)
{
    unsigned seen = atomic_load(&team.round) - 1; /* it was started because there is something */
    (void)unused;
    for (;;) {
        int before;
        int64_t since = now();
        for (int looks = 0; atomic_load(&team.round) == seen; looks++) {
            rest();
            if (looks % 64 == 63 && now() - since > AWAKE)
                break;
        }
        if (atomic_load(&team.round) == seen) {
            lock(&team.lock);
            atomic_fetch_add(&team.asleep, 1);
            while (atomic_load(&team.round) == seen)
                wait_for(&team.bell, &team.lock);
            atomic_fetch_sub(&team.asleep, 1);
            unlock(&team.lock);
        }
        seen = atomic_load(&team.round);
        /* Counted first: whoever closes waits for all who came in, so the work stays what it is. */
        before = atomic_fetch_add(&team.inside, 1);
        if (before < atomic_load(&team.open))
            take_pieces();
        atomic_fetch_sub(&team.inside, 1);
    }
}

/* Into how many pieces to cut what takes so many nanoseconds: 1 if threads would be of no use. */
static int64_t pieces_of(int64_t nanoseconds, int threads)
{
    int64_t pieces = nanoseconds / WORTH_A_PIECE;
    /* Whoever comes often finds the threads awake from the next time on. */
    if (atomic_load(&team.asleep) && nanoseconds < WORTH_WAKING && now() - atomic_load(&team.last) > AWAKE)
        return 1;
    return pieces < 2 ? 1 : pieces < PIECES * threads ? pieces : PIECES * threads;
}

/* Do all pieces in up to so many threads; if others are at it already, in this one alone. Returns in how
 * many it may have been. */
static int share(Piece run, void *work, int64_t pieces, int threads)
{
    if (threads < 2 || pieces < 2 || atomic_flag_test_and_set(&team.busy)) {
        for (int64_t piece = 0; piece < pieces; piece++)
            run(work, piece);
        return 1;
    }
    if (team.process != process()) { /* a fork has left the threads behind */
        Lock fresh_lock = LOCK_INIT;
        Bell fresh_bell = BELL_INIT;
        team.lock = fresh_lock;
        team.bell = fresh_bell;
        team.started = 0;
        atomic_store(&team.inside, 0);
        atomic_store(&team.asleep, 0);
        team.process = process();
    }
    team.run = run;
    team.work = work;
    team.pieces = pieces;
    atomic_store(&team.next, 0);
    atomic_store(&team.open, threads - 1);
    atomic_fetch_add(&team.round, 1);
    while (team.started < threads - 1 && !start(help))
        team.started++;
    if (atomic_load(&team.asleep)) {
        lock(&team.lock);
        ring(&team.bell);
        unlock(&team.lock);
    }
    take_pieces();
    atomic_store(&team.open, 0);
    for (int looks = 0; atomic_load(&team.inside); looks++)
        looks < 2000 ? rest() : give_way();
    atomic_flag_clear(&team.busy);
    return threads;
}

#endif
