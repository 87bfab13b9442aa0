/* The pool: every task once, several callers, nesting, limits, signals, fork. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "parallel.h"

enum { TASKS = 500 };

typedef struct record {
    int64_t times[TASKS];
    int64_t threads; /* different ones that ran a task */
    pthread_mutex_t lock;
    pthread_t seen[64];
} record;

static void note(int64_t task, void *context) {
    record *r = context;
    r->times[task]++;
    pthread_mutex_lock(&r->lock);
    int64_t i = 0;
    while (i < r->threads && !pthread_equal(r->seen[i], pthread_self())) i++;
    if (i == r->threads) r->seen[r->threads++] = pthread_self();
    pthread_mutex_unlock(&r->lock);
    if (task % 64 == 0) usleep(200);
}

/* Run a loop and return how many threads took part; each task must have run once. */
static int64_t run_loop(int64_t n_tasks) {
    record r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    sc_parallel_for(n_tasks, note, &r);
    for (int64_t i = 0; i < TASKS; i++) CHECK(r.times[i] == (i < n_tasks), "task %ld", (long)i);
    return r.threads;
}

static void test_every_task_runs_once(void) {
    for (int threads = 1; threads <= 5; threads++) {
        sc_set_num_threads(threads);
        CHECK(sc_get_num_threads() == threads);
        for (int64_t n_tasks = 0; n_tasks < 12; n_tasks++) CHECK(run_loop(n_tasks) <= threads);
        for (int i = 0; i < 20; i++) {
            int64_t took_part = run_loop(TASKS);
            CHECK(took_part >= 1 && took_part <= threads, "%ld of %d", (long)took_part, threads);
        }
    }
}

/* Two tasks that wait for each other: done only if two threads run them. */
static void meet(int64_t task, void *context) {
    int64_t *arrived = context;
    (void)task;
    __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < 2) usleep(50);
}

static void test_threads_really_run_together(void) {
    sc_set_num_threads(2);
    int64_t arrived = 0;
    sc_parallel_for(2, meet, &arrived);
    CHECK(arrived == 2);
}

static void test_limits(void) {
    sc_set_num_threads(0);
    CHECK(sc_get_num_threads() == 1);
    sc_set_num_threads(-5);
    CHECK(sc_get_num_threads() == 1);
    sc_set_num_threads(1 << 30);
    CHECK(sc_get_num_threads() == SC_MAX_THREADS);
    sc_set_num_threads(3);
}

static void nested(int64_t task, void *context) {
    (void)task, (void)context;
    CHECK(run_loop(20) == 1, "inside a task a loop runs alone");
}

static void test_nesting(void) { sc_parallel_for(8, nested, NULL); }

static void *call_often(void *unused) {
    (void)unused;
    for (int i = 0; i < 100; i++) run_loop(40);
    return NULL;
}

static void test_several_callers(void) {
    sc_set_num_threads(3);
    pthread_t callers[4];
    for (int i = 0; i < 4; i++) pthread_create(&callers[i], NULL, call_often, NULL);
    for (int i = 0; i < 4; i++) pthread_join(callers[i], NULL);
}

static void check_mask(int64_t task, void *context) {
    pthread_t caller = *(pthread_t *)context;
    (void)task;
    usleep(100);
    if (pthread_equal(caller, pthread_self())) return;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    CHECK(sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGCHLD));
    CHECK(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGBUS));
}

static void test_workers_block_signals(void) {
    pthread_t self = pthread_self();
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sc_parallel_for(50, check_mask, &self);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK(sigismember(&before, SIGINT) == sigismember(&after, SIGINT), "the caller's own mask is restored");
}

static void expect_success(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "child ended with status %d", status);
}

static void test_fork_after_a_loop(void) {
    sc_set_num_threads(3);
    run_loop(TASKS);
    pid_t child = fork();
    if (child == 0) {
        int64_t arrived = 0;
        sc_parallel_for(2, meet, &arrived); /* the child has workers of its own */
        run_loop(TASKS);
        _exit(0);
    }
    expect_success(child);
    run_loop(TASKS);
}

static void test_fork_during_another_threads_loop(void) {
    pthread_t caller;
    pthread_create(&caller, NULL, call_often, NULL);
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            int64_t arrived = 0;
            sc_parallel_for(2, meet, &arrived);
            run_loop(100);
            _exit(0);
        }
        expect_success(child);
    }
    pthread_join(caller, NULL);
}

int main(void) {
    CHECK(sc_get_num_threads() == sc_usable_cores());
    test_every_task_runs_once();
    test_threads_really_run_together();
    test_limits();
    test_nesting();
    test_several_callers();
    test_workers_block_signals();
    test_fork_after_a_loop();
    test_fork_during_another_threads_loop();
    return 0; /* with the workers asleep */
}
