/* How many cores may this process use? */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

enum { PATH_BYTES = 4096 };

static int at_least_one(double cores) {
    int whole = (int)cores;
    return whole < 1 ? 1 : whole < cores ? whole + 1 : whole;
}

/* The first words of a small file; false if it can't be read. */
static bool read_words(const char *directory, const char *name, char first[32], char second[32]) {
    char path[2 * PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) return false;
    FILE *file = fopen(path, "re");
    if (!file) return false;
    first[0] = second[0] = '\0';
    int words = fscanf(file, "%31s %31s", first, second);
    fclose(file);
    return words >= 1;
}

/* The quota of one directory: version 2's "cpu.max" is "QUOTA PERIOD" or "max PERIOD", version 1 has two files and
 * -1 for none. */
static int quota_of(const char *directory) {
    char quota[32], period[32], unused[32];
    if (!read_words(directory, "cpu.max", quota, period)) {
        if (!read_words(directory, "cpu.cfs_quota_us", quota, unused)) return 0;
        if (!read_words(directory, "cpu.cfs_period_us", period, unused)) return 0;
    }
    double microseconds = atof(quota), every = atof(period); /* "max" is 0 */
    return microseconds > 0 && every > 0 && microseconds / every < SC_MAX_THREADS ? at_least_one(microseconds / every)
                                                                                  : 0;
}

static int smaller(int a, int b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* The smallest quota from <mount><path> up to <mount>; a path that is not there (a container sees its host's) is
 * skipped on the way up. */
static int quota_up_from(const char *mount, const char *path) {
    char directory[2 * PATH_BYTES];
    if (snprintf(directory, sizeof directory, "%s%s", mount, path) >= (int)sizeof directory) return 0;
    int cores = 0;
    for (;;) {
        cores = smaller(cores, quota_of(directory));
        if (strlen(directory) <= strlen(mount)) return cores;
        *strrchr(directory, '/') = '\0';
    }
}

static bool has_word(const char *list, const char *word) {
    for (const char *at = list; (at = strstr(at, word)); at++) {
        char before = at == list ? ',' : at[-1], after = at[strlen(word)];
        if (before == ',' && (after == ',' || after == '\0')) return true;
    }
    return false;
}

/* Lines are "hierarchy:controllers:path"; version 2's has no controllers. */
int sc_cgroup_cores(const char *membership_file, const char *root) {
    FILE *file = fopen(membership_file, "re");
    if (!file) return 0;
    int cores = 0;
    char line[PATH_BYTES], mount[PATH_BYTES];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(++controllers, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        if (!*controllers) {
            const char *places[] = {"", "/unified"};
            for (int i = 0; i < 2; i++)
                if (snprintf(mount, sizeof mount, "%s%s", root, places[i]) < (int)sizeof mount)
                    cores = smaller(cores, quota_up_from(mount, path));
        } else if (has_word(controllers, "cpu")) {
            const char *places[] = {controllers, "cpu"};
            for (int i = 0; i < 2; i++)
                if (snprintf(mount, sizeof mount, "%s/%s", root, places[i]) < (int)sizeof mount)
                    cores = smaller(cores, quota_up_from(mount, path));
        }
    }
    fclose(file);
    return cores;
}

static int cores_of_affinity(void) {
#ifdef __linux__
    for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) { /* the kernel refuses a mask shorter than its own */
        cpu_set_t *mask = CPU_ALLOC(cpus);
        if (!mask) break;
        size_t size = CPU_ALLOC_SIZE(cpus);
        int count = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
        CPU_FREE(mask);
        if (count > 0) return count;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int sc_usable_cores(void) {
    int cores = smaller(cores_of_affinity(), sc_cgroup_cores("/proc/self/cgroup", "/sys/fs/cgroup"));
    return cores < SC_MAX_THREADS ? cores : SC_MAX_THREADS;
}
