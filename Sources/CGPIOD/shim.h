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

// libgpiod has no version macro; only 1.x has this one.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#include "libgpiod1.h"
#else
#include "libgpiod2.h"
#endif
