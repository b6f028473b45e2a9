// Counts what a thread allocates, for the promise that the mixer allocates nothing while it plays.
//
// The program that links this replaces glibc's malloc and its kin by ones that count and hand on, as the manual of glibc
// provides for ("Replacing malloc"). C, since Swift cannot define these symbols.
#pragma once

/// How often the calling thread has called malloc, calloc, realloc or one of the aligned kind.
unsigned long soundbox_allocation_count(void);
