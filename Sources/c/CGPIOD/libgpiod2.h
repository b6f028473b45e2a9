// The API of shim.h over libgpiod 2.x.
#pragma once
#include <errno.h>

/// An open /dev/gpiochipN.
typedef struct gpiod_chip soundbox_gpio_chip;
/// One requested line.
typedef struct gpiod_line_request soundbox_gpio_line;

/// Fails with ENOTTY or ENODEV if the file is not a GPIO chip.
static inline int soundbox_gpio_chip_open(const char *path, soundbox_gpio_chip **chip) {
    *chip = gpiod_chip_open(path);
    return *chip ? 0 : -errno;
}

static inline void soundbox_gpio_chip_close(soundbox_gpio_chip *chip) { gpiod_chip_close(chip); }

/// Copies the chip's label, cut to fit.
static inline int soundbox_gpio_chip_label(soundbox_gpio_chip *chip, char *label, size_t size) {
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (!info) return -errno;
    soundbox_gpio_copy(label, size, gpiod_chip_info_get_label(info));
    gpiod_chip_info_free(info);
    return 0;
}

/// The offset of the first line of this name, or -ENOENT.
static inline int soundbox_gpio_chip_find_line(soundbox_gpio_chip *chip, const char *name) {
    int offset = gpiod_chip_get_line_offset_from_name(chip, name);
    return offset >= 0 ? offset : -errno;
}

/// Copies the line's name, cut to fit; empty if it has none.
static inline int soundbox_gpio_chip_line_name(
    soundbox_gpio_chip *chip, unsigned int offset, char *text, size_t size
) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
    if (!info) return -errno;
    soundbox_gpio_copy(text, size, gpiod_line_info_get_name(info));
    gpiod_line_info_free(info);
    return 0;
}

/// Copies the name of the line's current user, cut to fit; empty if the line is free or has no name.
static inline int soundbox_gpio_chip_line_consumer(
    soundbox_gpio_chip *chip, unsigned int offset, char *consumer, size_t size
) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
    if (!info) return -errno;
    soundbox_gpio_copy(consumer, size, gpiod_line_info_get_consumer(info));
    gpiod_line_info_free(info);
    return 0;
}

/// Frees `settings`. A NULL of the library means that memory is short; errno says so.
static inline int soundbox_gpio_request(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, struct gpiod_line_settings *settings,
    soundbox_gpio_line **line
) {
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *request = gpiod_request_config_new();
    *line = NULL;
    if (settings && lines && request && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
        gpiod_request_config_set_consumer(request, consumer);
        *line = gpiod_chip_request_lines(chip, request, lines);
    }
    int code = *line ? 0 : -errno;
    gpiod_request_config_free(request);
    gpiod_line_config_free(lines);
    gpiod_line_settings_free(settings);
    return code;
}

/// Requests the line as an output, inactive at first. EBUSY if the line is in use; EINVAL for an unknown offset.
static inline int soundbox_gpio_request_output(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, bool active_low, soundbox_gpio_line **line
) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (settings) {
        gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
        gpiod_line_settings_set_active_low(settings, active_low);
        gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
    }
    return soundbox_gpio_request(chip, offset, consumer, settings, line);
}

/// Requests the line as an input that reports both edges. Errors: see `soundbox_gpio_request_output`.
static inline int soundbox_gpio_request_input(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, bool active_low, soundbox_gpio_bias bias,
    soundbox_gpio_line **line
) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (settings) {
        gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
        gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
        gpiod_line_settings_set_active_low(settings, active_low);
        gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
        switch (bias) {
        case SOUNDBOX_GPIO_BIAS_AS_IS: break;
        case SOUNDBOX_GPIO_BIAS_DISABLED: gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_DISABLED); break;
        case SOUNDBOX_GPIO_BIAS_PULL_UP: gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP); break;
        case SOUNDBOX_GPIO_BIAS_PULL_DOWN: gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_DOWN); break;
        }
    }
    return soundbox_gpio_request(chip, offset, consumer, settings, line);
}

static inline void soundbox_gpio_line_release(soundbox_gpio_line *line) { gpiod_line_request_release(line); }

/// The descriptor to poll for edges of an input. The library owns it.
static inline int soundbox_gpio_line_descriptor(soundbox_gpio_line *line) { return gpiod_line_request_get_fd(line); }

/// 1 while the line is active, else 0.
static inline int soundbox_gpio_line_value(soundbox_gpio_line *line) {
    unsigned int offset = 0;
    gpiod_line_request_get_requested_offsets(line, &offset, 1);
    enum gpiod_line_value value = gpiod_line_request_get_value(line, offset);
    return value == GPIOD_LINE_VALUE_ERROR ? -errno : value == GPIOD_LINE_VALUE_ACTIVE;
}

static inline int soundbox_gpio_line_set_value(soundbox_gpio_line *line, bool is_active) {
    unsigned int offset = 0;
    gpiod_line_request_get_requested_offsets(line, &offset, 1);
    enum gpiod_line_value value = is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    return gpiod_line_request_set_value(line, offset, value) == 0 ? 0 : -errno;
}

/// Reads the edges that are there, oldest first, up to `capacity` (at most 16). Blocks until there is one.
/// - Returns: the number of edges.
static inline int soundbox_gpio_line_read_edges(soundbox_gpio_line *line, soundbox_gpio_edge *edges, int capacity) {
    size_t limit = capacity < 16 ? (size_t)capacity : 16;
    struct gpiod_edge_event_buffer *events = gpiod_edge_event_buffer_new(limit);
    if (!events) return -errno;
    int count = gpiod_line_request_read_edge_events(line, events, limit);
    if (count < 0) count = -errno;
    for (int i = 0; i < count; i++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(events, (unsigned long)i);
        edges[i].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
        edges[i].time_ns = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    }
    gpiod_edge_event_buffer_free(events);
    return count;
}
