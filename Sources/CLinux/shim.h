// Linux calls that Swift cannot import, because they are variadic or missing in its Glibc module.
#pragma once
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

/// Whether the clock follows a time server, according to the kernel: adjtimex(2), STA_UNSYNC. Needs no privilege.
/// Returns 1 or 0; a negative error number when the kernel does not say.
static inline int soundbox_clock_synchronisation(void) {
  struct timex state = {.modes = 0};
  if (adjtimex(&state) < 0) return -errno;
  return (state.status & STA_UNSYNC) == 0;
}
