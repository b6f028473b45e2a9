// Linux calls that Swift cannot import because they are variadic, or because Glibc's module leaves their header out.
#pragma once
#include <sys/prctl.h>
#include <sys/timex.h>

/// Names the calling thread for `top -H` and debuggers; the kernel keeps 15 bytes.
static inline void soundbox_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// Whether the kernel says that its clock follows a time server: adjtimex(2), STA_UNSYNC. Needs no privilege.
static inline int soundbox_clock_is_synchronised(void) {
  struct timex state = {.modes = 0};
  return adjtimex(&state) >= 0 && (state.status & STA_UNSYNC) == 0;
}
