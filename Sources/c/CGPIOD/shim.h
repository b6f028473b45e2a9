// libgpiod for SoundboxGPIO: one small API for chips, lines and edges.
//
// It exists because the APIs of libgpiod 1.x and 2.x differ, and Debian 12 has 1.x, Debian 13 has 2.x. Each version has
// its own header, chosen below at compile time; everything above is Swift.
//
// Functions that can fail return a negated errno value. No function blocks, unless stated otherwise.
#pragma once
#include <gpiod.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The bias of an input that is not connected.
typedef enum {
    SOUNDBOX_GPIO_BIAS_AS_IS,
    SOUNDBOX_GPIO_BIAS_DISABLED,
    SOUNDBOX_GPIO_BIAS_PULL_UP,
    SOUNDBOX_GPIO_BIAS_PULL_DOWN,
} soundbox_gpio_bias;

/// A change of an input, in logical levels: an active-low line that falls becomes active.
typedef struct {
    bool is_active;
    /// The kernel's time stamp: CLOCK_MONOTONIC since Linux 5.7, CLOCK_REALTIME before.
    int64_t time_ns;
} soundbox_gpio_edge;

/// Copies a text, cut to fit; nothing where there is none.
static inline int soundbox_gpio_copy(char *text, size_t size, const char *source) {
    strncpy(text, source ? source : "", size - 1);
    text[size - 1] = '\0';
    return 0;
}

// libgpiod has no version macro; only 1.x has this one.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#include "libgpiod1.h"
#else
#include "libgpiod2.h"
#endif
