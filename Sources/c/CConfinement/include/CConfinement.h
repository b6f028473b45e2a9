// Confines a process to what it needs to decode bytes into samples. Imported only by SoundboxSystem.
//
// This header includes no other one, so that Swift sees only these declarations.
#pragma once

/// Why a step failed.
typedef struct {
    /// The name of the call that failed; NULL for none.
    const char *call;
    int code;
} soundbox_confinement_error;

/// Limits the calling process for good: `memory` bytes of address space, `seconds` of processor time, no new file
/// descriptors, no core file. Also closes every descriptor above standard error.
soundbox_confinement_error soundbox_bound_process(unsigned long memory, unsigned int seconds);

/// After this call, every thread of the process may only read standard input, write standard output and error, allocate
/// and free memory, read the clock, and exit. Opening a file fails, and any other system call kills the process
/// (SECCOMP_RET_KILL_PROCESS).
soundbox_confinement_error soundbox_confine_process(void);

/// After this call, neither the process nor one that it starts can leave its process group: setsid(2) and setpgid(2)
/// fail with EPERM.
soundbox_confinement_error soundbox_keep_in_group(void);

/// Limits a child that was just started: address space in bytes, processor time in seconds, the size of a file that it
/// writes in bytes, and no core file. It gets a low priority, and is killed first when memory is short. Limits that
/// cannot be set are skipped.
void soundbox_bound_child(int child, unsigned long memory, unsigned int seconds, unsigned long file);

/// Makes a child of posix_spawn close every descriptor above standard error.
///
/// - actions: a posix_spawn_file_actions_t.
void soundbox_close_others_in_child(void *actions);
