#include "AllocationCount.h"

#include <errno.h>
#include <stddef.h>

// What glibc's own malloc family is called inside of it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Of the program itself, so that reading it never allocates.
static _Thread_local unsigned long count __attribute__((tls_model("local-exec")));

unsigned long soundbox_allocation_count(void) { return count; }

void *malloc(size_t size) {
    ++count;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    ++count;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    ++count;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    ++count;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *result = memalign(alignment, size);
    if (result == NULL) return ENOMEM;
    *memory = result;
    return 0;
}
