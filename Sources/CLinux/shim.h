// Linux calls that Swift cannot import, because they are variadic or missing in its Glibc module.
#pragma once
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

/// Names the calling thread, for `top -H` and debuggers. The kernel keeps 15 bytes.
static inline void soundbox_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

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

/// The calling thread opens files with these rights from now on: setfsuid(2). 0, or an error code.
///
/// glibc's setgroups() would change every thread of the process, and leaves no other way than the system call.
static inline int soundbox_use_file_rights(uid_t user, gid_t group, const gid_t *groups, size_t count) {
  // Groups while the rights for it are there. Both calls below return the value of before, and no error.
  if (syscall(SYS_setgroups, count, groups) != 0) return errno;
  setfsgid(group);
  setfsuid(user);
  return (gid_t)setfsgid((gid_t)-1) == group && (uid_t)setfsuid((uid_t)-1) == user ? 0 : EPERM;
}

/// Whether the clock follows a time server, according to the kernel: adjtimex(2), STA_UNSYNC. Needs no privilege.
/// Returns 1 or 0; a negative error number when the kernel does not say.
static inline int soundbox_clock_synchronisation(void) {
  struct timex state = {.modes = 0};
  if (adjtimex(&state) < 0) return -errno;
  return (state.status & STA_UNSYNC) == 0;
}
