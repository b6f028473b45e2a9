// Linux calls that Swift cannot import: variadic ones, and those that its Glibc module leaves out.
#pragma once
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>

/// Names the calling thread for `top -H` and debuggers; the kernel keeps 15 bytes.
static inline void soundbox_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// Whether something disciplines the kernel's clock (adjtimex(2)); also true where the call itself is forbidden.
static inline bool soundbox_clock_is_synchronised(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  return adjtimex(&state) != TIME_ERROR;
}
