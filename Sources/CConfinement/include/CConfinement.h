// Gives up what a process does not need to turn bytes into samples. Its one importer is SoundboxSystem.
//
// No header is included here: what this module shows to Swift is a handful of declarations.
#pragma once

/// Why a step failed.
typedef struct {
    /// The name of the call that failed; NULL when none did.
    const char *call;
    int code;
} soundbox_confinement_error;

/// Bounds of the calling process, which cannot be raised again: `memory` bytes of address space, `seconds` of processor
/// time, no new file descriptors, no core file. Also closes every descriptor above standard error.
soundbox_confinement_error soundbox_bound_process(unsigned long memory, unsigned int seconds);

/// From now on every thread of the process may read standard input, write standard output and error, take and give back
/// memory, ask for the time, and end. Opening a file is refused, and any other system call kills the process
/// (SECCOMP_RET_KILL_PROCESS).
soundbox_confinement_error soundbox_confine_process(void);

/// Bounds of a child that was started just now: address space in bytes, processor time in seconds, the size of a file that
/// it writes, in bytes, and no core file. It runs behind others, and is the first to go when memory is short. What cannot be set is left out.
void soundbox_bound_child(int child, unsigned long memory, unsigned int seconds, unsigned long file);

/// Has a child that posix_spawn starts close every descriptor above standard error.
///
/// - actions: a posix_spawn_file_actions_t.
void soundbox_close_others_in_child(void *actions);
