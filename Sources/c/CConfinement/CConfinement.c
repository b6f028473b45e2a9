#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_ARM
#else
#error "no list of system calls for this processor"
#endif

// The lower half of an argument: what the kernel itself looks at where it takes an int.
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the halves of an argument are the other way round"
#endif
#define LOW(index) ((unsigned)offsetof(struct seccomp_data, args) + 8u * (index))

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, (verdict))
// Every rule begins with the number of the call in the accumulator. One that does not meet it skips itself.
#define ALLOW(call)                                                                                                    \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE(call, code)                                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), RETURN(SECCOMP_RET_ERRNO | (code))
// Allowed with a first argument of at least `least` and at most `most`; kills otherwise.
#define ALLOW_DESCRIPTOR(call, least, most)                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 5), LOAD(LOW(0)),                                                   \
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (least), 0, 2), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (most), 1, 0),         \
        RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS)
// Allowed unless the memory is to be executable; kills otherwise.
#define ALLOW_DATA(call)                                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(LOW(2)),                                                   \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), RETURN(SECCOMP_RET_ALLOW),                              \
        RETURN(SECCOMP_RET_KILL_PROCESS)

static const struct sock_filter program[] = {
    LOAD((unsigned)offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD((unsigned)offsetof(struct seccomp_data, nr)),
    ALLOW_DESCRIPTOR(__NR_read, STDIN_FILENO, STDIN_FILENO),
    ALLOW_DESCRIPTOR(__NR_write, STDOUT_FILENO, STDERR_FILENO),
#ifdef __NR_mmap
    ALLOW_DATA(__NR_mmap),
#endif
#ifdef __NR_mmap2
    ALLOW_DATA(__NR_mmap2),
#endif
    ALLOW_DATA(__NR_mprotect),
    ALLOW(__NR_munmap),
    ALLOW(__NR_mremap),
    ALLOW(__NR_madvise),
    ALLOW(__NR_brk),
    ALLOW(__NR_futex),
#ifdef __NR_futex_time64
    ALLOW(__NR_futex_time64),
#endif
    ALLOW(__NR_sched_yield),
    ALLOW(__NR_clock_gettime),
#ifdef __NR_clock_gettime64
    ALLOW(__NR_clock_gettime64),
#endif
    // libsndfile asks when it opens a file. As a rule the time is read from memory (vdso(7)), but not with every clock.
    ALLOW(__NR_gettimeofday),
    // Seeds of hash tables.
    ALLOW(__NR_getrandom),
    ALLOW(__NR_restart_syscall),
    ALLOW(__NR_rt_sigreturn),
#ifdef __NR_sigreturn
    ALLOW(__NR_sigreturn),
#endif
    ALLOW(__NR_rt_sigprocmask),
    ALLOW(__NR_exit),
    ALLOW(__NR_exit_group),
    // qsort() of glibc before 2.37 asks how much memory the machine has, and does without an answer.
    REFUSE(__NR_sysinfo, EPERM),
    REFUSE(__NR_openat, EACCES),
    RETURN(SECCOMP_RET_KILL_PROCESS),
};

// Inherited by whatever the process starts.
static const struct sock_filter staying[] = {
    LOAD((unsigned)offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD((unsigned)offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
    // The same calls by other numbers: the x32 ABI.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    RETURN(SECCOMP_RET_KILL_PROCESS),
#endif
    REFUSE(__NR_setsid, EPERM),
    REFUSE(__NR_setpgid, EPERM),
    RETURN(SECCOMP_RET_ALLOW),
};

static soundbox_confinement_error failure(const char *call) {
    return (soundbox_confinement_error){.call = call, .code = errno};
}

soundbox_confinement_error soundbox_bound_process(unsigned long memory, unsigned int seconds) {
    // The call is younger than some kernels (5.9); there the descriptors are closed-on-exec as everywhere in the box.
#ifdef __NR_close_range
    syscall(__NR_close_range, STDERR_FILENO + 1, ~0u, 0);
#endif
    const struct {
        __rlimit_resource_t resource;
        rlim_t value;
    } limits[] = {
        {RLIMIT_AS, memory}, {RLIMIT_CPU, seconds}, {RLIMIT_NOFILE, 0}, {RLIMIT_CORE, 0},
    };
    for (size_t index = 0; index < sizeof limits / sizeof limits[0]; index++) {
        const struct rlimit limit = {.rlim_cur = limits[index].value, .rlim_max = limits[index].value};
        if (setrlimit(limits[index].resource, &limit) != 0) return failure("setrlimit");
    }
    return (soundbox_confinement_error){.call = NULL, .code = 0};
}

static soundbox_confinement_error install(const struct sock_filter *rules, size_t count) {
    // Also a condition of the filter without privileges.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("PR_SET_NO_NEW_PRIVS");
    const struct sock_fprog filter = {
        .len = (unsigned short)count,
        .filter = (struct sock_filter *)rules,
    };
    // Threads that somebody has started are confined with the calling one. A positive result is one that could not be.
    const long result = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result > 0) errno = EBUSY;
    if (result != 0) return failure("seccomp");
    return (soundbox_confinement_error){.call = NULL, .code = 0};
}

soundbox_confinement_error soundbox_confine_process(void) {
    return install(program, sizeof program / sizeof program[0]);
}

soundbox_confinement_error soundbox_keep_in_group(void) {
    return install(staying, sizeof staying / sizeof staying[0]);
}

void soundbox_bound_child(int child, unsigned long memory, unsigned int seconds, unsigned long file_size) {
    const struct {
        __rlimit_resource_t resource;
        rlim_t value;
    } limits[] = {{RLIMIT_AS, memory}, {RLIMIT_CPU, seconds}, {RLIMIT_FSIZE, file_size}, {RLIMIT_CORE, 0}};
    for (size_t index = 0; index < sizeof limits / sizeof limits[0]; index++) {
        const struct rlimit limit = {.rlim_cur = limits[index].value, .rlim_max = limits[index].value};
        prlimit(child, limits[index].resource, &limit, NULL);
    }
    setpriority(PRIO_PROCESS, (id_t)child, 10);
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", child);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    // proc(5): 1000 is the first of all.
    if (write(file, "800", 3) != 3) errno = 0;
    close(file);
}

void soundbox_close_others_in_child(void *actions) {
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}
