/* The pool of workers.
 *
 *     caller                                worker
 *     ------                                ------
 *     take the pool, or run alone           sleep until there is a job with a free place
 *     publish the job, wake workers         join it: running += 1
 *     claim tasks until none is left        claim tasks until none is left
 *     withdraw the job                      leave it: running -= 1
 *     wait until running is 0
 *
 * A worker that wakes after the job was withdrawn finds none and sleeps again; nobody waits for it. All fields of the
 * pool are read and written under its lock, but for the counters named atomic. The lock is never held while a task
 * runs, so a fork waits for it only for moments and finds the pool whole.
 */
#include "parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    STACK_BYTES = 1 << 20,
    PATIENCE = 200 /* pauses before the caller sleeps: about 10 microseconds, less than waking up takes */
};

typedef struct job {
    sc_task_fn *run;
    void *context;
    int64_t n_tasks;
    int64_t next;    /* atomic: the next task to hand out */
    int free_places; /* workers that may still join */
} job;

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    job *job;       /* NULL when there is nothing to join */
    int workers;    /* threads that exist */
    int running;    /* workers inside the job; also read atomically by the caller that waits */
    bool taken;     /* a caller is using the pool */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static int num_threads; /* atomic; 0 until first asked for */

/* ---- fork -------------------------------------------------------------------------------------------- */

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&pool.lock); }

/* None of the workers has come along, nor has another thread that may have been using them. */
static void after_fork_in_child(void) {
    pool.job = NULL;
    pool.workers = 0;
    __atomic_store_n(&pool.running, 0, __ATOMIC_RELAXED);
    pool.taken = false;
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pthread_mutex_unlock(&pool.lock);
}

__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- tasks ------------------------------------------------------------------------------------------- */

static void run_tasks(job *job) {
    for (;;) {
        int64_t task = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (task >= job->n_tasks) return;
        job->run(task, job->context);
    }
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.job || pool.job->free_places == 0) pthread_cond_wait(&pool.work, &pool.lock);
        job *joined = pool.job; /* alive until running is 0 again */
        joined->free_places--;
        __atomic_add_fetch(&pool.running, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&pool.lock);
        run_tasks(joined);
        pthread_mutex_lock(&pool.lock);
        if (__atomic_sub_fetch(&pool.running, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&pool.done);
    }
    return NULL;
}

/* With the lock held: have so many workers, or as many as the system lets us. */
static void start_workers(int wanted) {
    if (pool.workers >= wanted) return;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before; /* all but those that a thread brings on itself: a fault must reach its handler */
    sigfillset(&all);
    sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited by the new threads */
    pthread_t thread;
    while (pool.workers < wanted && pthread_create(&thread, &attributes, work, NULL) == 0) pool.workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static inline void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool publish(job *job) {
    pthread_mutex_lock(&pool.lock);
    bool mine = !pool.taken;
    if (mine) {
        pool.taken = true;
        start_workers(job->free_places);
        int wake = job->free_places < pool.workers ? job->free_places : pool.workers;
        pool.job = job;
        if (wake == pool.workers) pthread_cond_broadcast(&pool.work);
        else while (wake-- > 0) pthread_cond_signal(&pool.work);
    }
    pthread_mutex_unlock(&pool.lock);
    return mine;
}

static void withdraw(void) {
    pthread_mutex_lock(&pool.lock);
    pool.job = NULL;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < PATIENCE && __atomic_load_n(&pool.running, __ATOMIC_ACQUIRE) > 0; i++) pause_a_little();
    pthread_mutex_lock(&pool.lock);
    while (__atomic_load_n(&pool.running, __ATOMIC_ACQUIRE) > 0) pthread_cond_wait(&pool.done, &pool.lock);
    pool.taken = false;
    pthread_mutex_unlock(&pool.lock);
}

void sc_parallel_for(int64_t n_tasks, sc_task_fn *run, void *context) {
    int threads = n_tasks > 1 ? sc_get_num_threads() : 1;
    job job = {.run = run, .context = context, .n_tasks = n_tasks};
    job.free_places = (threads < n_tasks ? threads : (int)n_tasks) - 1;
    bool shared = threads > 1 && publish(&job);
    run_tasks(&job);
    if (shared) withdraw();
}

/* ---- how many ------------------------------------------------------------------------------------------ */

int sc_get_num_threads(void) {
    int threads = __atomic_load_n(&num_threads, __ATOMIC_RELAXED);
    if (threads == 0) {
        int found = sc_usable_cores();
        threads = __atomic_compare_exchange_n(&num_threads, &threads, found, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
                      ? found : threads;
    }
    return threads;
}

void sc_set_num_threads(int n) {
    __atomic_store_n(&num_threads, n < 1 ? 1 : n > SC_MAX_THREADS ? SC_MAX_THREADS : n, __ATOMIC_RELAXED);
}
