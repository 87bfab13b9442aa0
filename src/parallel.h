/* One loop over tasks on several threads.
 *
 * A pool of workers is started at the first loop that can use it. Idle workers sleep. One loop uses the pool at a
 * time; a loop that finds it in use (another thread's, or inside a task) runs in its own thread alone, so callers
 * never wait for each other. Workers run tasks only, and block all signals but those for faults. After a fork the
 * child starts a pool of its own, also when the fork happened during another thread's loop.
 */
#ifndef STRIDECORE_PARALLEL_H
#define STRIDECORE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* Most threads that sc_set_num_threads takes. */
enum { SC_MAX_THREADS = 1024 };

typedef void sc_task_fn(int64_t task, void *context);

/* run(task, context) once for each 0 <= task < n_tasks, in any order, on the calling thread and up to
 * sc_get_num_threads() - 1 others; back when all are done, with their writes visible. Tasks are handed out one by
 * one: make them long enough (tens of microseconds) and more than threads. Cannot fail: without workers the caller
 * does everything. */
void sc_parallel_for(int64_t n_tasks, sc_task_fn *run, void *context);

/* Threads that a loop may use, the caller's included. At first what the process may use of the machine
 * (sc_usable_cores). Set: values are clamped to 1 ... SC_MAX_THREADS. */
int sc_get_num_threads(void);
void sc_set_num_threads(int n);

/* ---- cores.c ---- */

/* Cores that the process may use, at least 1: those of its affinity mask, no more than its control groups' quota of
 * CPU time (rounded up). */
int sc_usable_cores(void);

/* The quota in cores of the groups that a file like /proc/self/cgroup names, below a root like /sys/fs/cgroup: the
 * smallest of each group and its ancestors, of version 1 and 2. 0 when there is none. */
int sc_cgroup_cores(const char *membership_file, const char *root);

#endif
