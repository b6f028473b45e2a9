// alsa-lib for Swift. Macros that allocate on the stack (`snd_pcm_hw_params_alloca`) are not imported; SoundboxALSA
// uses the `_malloc`/`_free` pairs instead. Only the error handler needs C, because it is variadic.
#pragma once
#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { soundbox_alsa_message_size = 256 };

/// The first error text of alsa-lib on the calling thread since the text was last emptied; never NULL.
///
/// The buffer belongs to the calling object file, so only one Swift file may call this (PCMDriver.swift).
static inline char *soundbox_alsa_message(void) {
    static _Thread_local char message[soundbox_alsa_message_size];
    return message;
}

/// A `snd_lib_error_handler_t`. After a failed call, alsa-lib reports every level of it; the first report is the cause.
static inline void soundbox_alsa_keep_message(
    const char *file, int line, const char *function, int error, const char *format, ...) {
    char *message = soundbox_alsa_message();
    if (message[0] != '\0') return;
    // alsa-lib then returns errno as the result of the failed call.
    const int saved = errno;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, soundbox_alsa_message_size, format, arguments);
    va_end(arguments);
    if (error != 0 && length >= 0 && length < soundbox_alsa_message_size)
        snprintf(message + length, soundbox_alsa_message_size - length, ": %s", snd_strerror(error));
    errno = saved;
}

/// Prevents alsa-lib from writing to stderr, on every thread of the process.
static inline void soundbox_alsa_keep_messages(void) { snd_lib_error_set_handler(soundbox_alsa_keep_message); }
