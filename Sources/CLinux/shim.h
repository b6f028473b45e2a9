// Linux calls that Swift cannot import because they are variadic, or that its Glibc module leaves out.
#pragma once
#include <malloc.h>
#include <sys/prctl.h>

/// Names the calling thread for `top -H` and debuggers; the kernel keeps 15 bytes.
static inline void soundbox_name_thread(const char *name) { prctl(PR_SET_NAME, name); }
