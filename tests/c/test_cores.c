/* Quotas of control groups, in trees of files made for the purpose. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "parallel.h"

static char root[] = "/tmp/sc-cores-XXXXXX";

/* Write root/path, making the directories on the way. */
static void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file, "%s", full);
    fputs(text, file);
    fclose(file);
}

static int cores(const char *membership) {
    char file[512];
    put("membership", membership);
    snprintf(file, sizeof file, "%s/membership", root);
    return sc_cgroup_cores(file, root);
}

static void test_version_2(void) {
    put("half/cpu.max", "50000 100000\n");
    put("more/cpu.max", "250000 100000\n");
    put("more/free/cpu.max", "max 100000\n");
    put("more/less/cpu.max", "120000 100000\n");
    CHECK(cores("0::/half\n") == 1);
    CHECK(cores("0::/more\n") == 3, "rounded up");
    CHECK(cores("0::/more/free\n") == 3, "the parent's counts");
    CHECK(cores("0::/more/less\n") == 2, "the smallest counts");
    CHECK(cores("0::/none\n") == 0);
    CHECK(cores("0::/more/not/there\n") == 3);
    put("cpu.max", "400000 100000\n");
    CHECK(cores("0::/docker/0123456789\n") == 4, "inside a container the path is the host's");
    CHECK(cores("0::/\n") == 4);
}

static void test_version_1(void) {
    put("cpu.max", "max 100000\n");
    put("cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
    put("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    put("cpu/solo/cpu.cfs_quota_us", "300000\n");
    put("cpu/solo/cpu.cfs_period_us", "100000\n");
    put("cpu/open/cpu.cfs_quota_us", "-1\n");
    put("cpu/open/cpu.cfs_period_us", "100000\n");
    CHECK(cores("5:memory:/x\n4:cpu,cpuacct:/box\n0::/\n") == 2);
    CHECK(cores("4:cpuacct,cpu:/solo\n") == 3, "mounted as cpu");
    CHECK(cores("1:cpu:/open\n") == 0);
    CHECK(cores("1:cpuset:/solo\n2:cpuacct:/box\n") == 0, "other controllers");
}

static void test_odd_files(void) {
    put("odd/cpu.max", "");
    CHECK(cores("0::/odd\n") == 0);
    put("odd/cpu.max", "nonsense\n");
    CHECK(cores("0::/odd\n") == 0);
    put("odd/cpu.max", "100000 0\n");
    CHECK(cores("0::/odd\n") == 0);
    put("odd/cpu.max", "999999999999999999 1\n");
    CHECK(cores("0::/odd\n") == 0, "more than anybody has");
    CHECK(cores("no colons\n\n:\n::\n") == 0);
    CHECK(sc_cgroup_cores("/nonexistent/file", root) == 0);
}

static void test_affinity(void) {
    cpu_set_t before, one;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(sc_usable_cores() <= CPU_COUNT(&before) && sc_usable_cores() >= 1);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(sc_usable_cores() == 1);
    sched_setaffinity(0, sizeof before, &before);
}

int main(void) {
    CHECK(mkdtemp(root));
    test_version_2();
    test_version_1();
    test_odd_files();
    test_affinity();
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
    return 0;
}
