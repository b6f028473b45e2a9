// libgpiod as SoundboxGPIO sees it: one small API over chips, lines and edges.
//
// It exists because libgpiod 1.x and 2.x share nothing but their name, and Debian 12 ships the one, Debian 13 the
// other. What differs between them lives in one header each, chosen below at compile time; everything above is Swift.
//
// Every function that can fail returns a negated errno value. No function blocks, unless it says so.
#pragma once
#include <gpiod.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What holds an input's level while nothing is connected to it.
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

// libgpiod has no version macro; this one went away with 1.x.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#include "libgpiod1.h"
#else
#include "libgpiod2.h"
#endif
