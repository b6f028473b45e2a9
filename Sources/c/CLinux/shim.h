// Linux calls that Swift cannot import, because they are variadic or missing in its Glibc module.
#pragma once
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

/// Names the calling thread, for `top -H` and debuggers. The kernel keeps 15 bytes.
static inline void soundbox_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// The kernel ends this process when the thread that has started it ends.
static inline void soundbox_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// The bounds of the program's own code, defined by the linker (ld(1), "Source Code Reference").
extern const char __executable_start[], etext[];

/// Unmaps the pages of the program's code. Code that runs later is mapped again from the kernel's cache, page by page.
static inline void soundbox_release_code(void) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)__executable_start & ~(page - 1);
    const uintptr_t end = (uintptr_t)etext & ~(page - 1);
    // Position-independent code is never written to, so nothing is lost.
    if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
}

/// Makes the calling thread open files with these rights: setfsuid(2). Returns 0 or an error code.
///
/// A direct system call, because glibc's setgroups() would change every thread of the process.
static inline int soundbox_use_file_rights(uid_t user, gid_t group, const gid_t *groups, size_t count) {
  // Groups first, while the thread has the rights. The two calls below return the old value and no error.
  if (syscall(SYS_setgroups, count, groups) != 0) return errno;
  setfsgid(group);
  setfsuid(user);
  return (gid_t)setfsgid((gid_t)-1) == group && (uid_t)setfsuid((uid_t)-1) == user ? 0 : EPERM;
}

/// Whether the clock follows a time server, according to the kernel: adjtimex(2), STA_UNSYNC. Needs no privilege.
/// Returns 1 or 0; a negative error number if the kernel does not say.
static inline int soundbox_clock_synchronisation(void) {
  struct timex state = {.modes = 0};
  if (adjtimex(&state) < 0) return -errno;
  return (state.status & STA_UNSYNC) == 0;
}

/// The calling thread's id, by which the kernel schedules it.
static inline int soundbox_thread_id(void) { return (int)syscall(SYS_gettid); }

#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif

/// The scheduling policy of a thread of this process, 0 for the calling one: SCHED_OTHER, SCHED_FIFO, …
static inline int soundbox_scheduling_policy(int thread) { return sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK; }

/// Makes the calling thread run before every ordinary one. Threads and processes that it starts are ordinary.
static inline int soundbox_enter_real_time(int priority) {
    const struct sched_param parameter = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter);
}

/// The nice value of a thread of this process, -20 to 19; 20 when there is no such thread.
static inline int soundbox_nice(int thread) {
    errno = 0;
    const int nice = getpriority(PRIO_PROCESS, (id_t)thread);
    return errno == 0 ? nice : 20;
}

/// On Linux each thread has its own nice value (setpriority(2), "C library/kernel differences").
static inline int soundbox_set_nice(int thread, int nice) { return setpriority(PRIO_PROCESS, (id_t)thread, nice); }

/// The original RLIMIT_RTTIME of the process. It belongs to the calling object file, so only one Swift file may call
/// this, or what calls it (Thread.swift).
static inline struct rlimit *soundbox_given_real_time_limit(void) {
    static struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    return &limit;
}

/// Handles SIGXCPU on the thread that has computed for RLIMIT_RTTIME without a pause: the thread becomes an ordinary
/// one.
///
/// The signal is sent to the process, and the kernel delivers it to the running thread, which is that one:
/// complete_signal() in kernel/signal.c. The kernel also raises the soft limit by a second. The handler restores it, so
/// that the hard limit, which kills, stays as far away as before.
static inline void soundbox_leave_real_time(int signal) {
    (void)signal;
    const int saved = errno;
    const struct sched_param ordinary = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    setrlimit(RLIMIT_RTTIME, soundbox_given_real_time_limit());
    errno = saved;
}

/// Installs this handler and unblocks the signal on the calling thread. Interrupted calls are restarted.
static inline int soundbox_leave_real_time_when_told(void) {
    const struct sigaction action = {.sa_handler = soundbox_leave_real_time, .sa_flags = SA_RESTART};
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXCPU);
    const int unblocked = sigprocmask(SIG_UNBLOCK, &signals, NULL);
    if (getrlimit(RLIMIT_RTTIME, soundbox_given_real_time_limit()) != 0) return -1;
    return unblocked != 0 ? unblocked : sigaction(SIGXCPU, &action, NULL);
}
