// The API of shim.h over libgpiod 1.5 – 1.6.
#pragma once
#include <errno.h>

/// An open /dev/gpiochipN.
typedef struct gpiod_chip soundbox_gpio_chip;
/// One requested line. Its chip must stay open while it is used.
typedef struct gpiod_line soundbox_gpio_line;

/// Fails with ENOTTY or ENODEV if the file is not a GPIO chip.
static inline int soundbox_gpio_chip_open(const char *path, soundbox_gpio_chip **chip) {
    *chip = gpiod_chip_open(path);
    return *chip ? 0 : -errno;
}

static inline void soundbox_gpio_chip_close(soundbox_gpio_chip *chip) { gpiod_chip_close(chip); }

/// Copies the chip's label, cut to fit.
static inline int soundbox_gpio_chip_label(soundbox_gpio_chip *chip, char *label, size_t size) {
    return soundbox_gpio_copy(label, size, gpiod_chip_label(chip));
}

/// The offset of the first line of this name, or -ENOENT.
static inline int soundbox_gpio_chip_find_line(soundbox_gpio_chip *chip, const char *name) {
    struct gpiod_line *line = gpiod_chip_find_line(chip, name);
    return line ? (int)gpiod_line_offset(line) : -errno;
}

/// Copies the line's name, cut to fit; empty if it has none.
static inline int soundbox_gpio_chip_line_name(
    soundbox_gpio_chip *chip, unsigned int offset, char *text, size_t size
) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    return line ? soundbox_gpio_copy(text, size, gpiod_line_name(line)) : -errno;
}

/// Copies the name of the line's current user, cut to fit; empty if the line is free or has no name.
static inline int soundbox_gpio_chip_line_consumer(
    soundbox_gpio_chip *chip, unsigned int offset, char *consumer, size_t size
) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    return line ? soundbox_gpio_copy(consumer, size, gpiod_line_consumer(line)) : -errno;
}

static inline int soundbox_gpio_request(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, int type, int flags, soundbox_gpio_line **line
) {
    *line = gpiod_chip_get_line(chip, offset);
    if (!*line) return -errno;
    struct gpiod_line_request_config config = {.consumer = consumer, .request_type = type, .flags = flags};
    // 0 is the first level of an output. It is logical: active-low lines start high.
    return gpiod_line_request(*line, &config, 0) == 0 ? 0 : -errno;
}

/// Requests the line as an output, inactive at first. EBUSY if the line is in use; EINVAL for an unknown offset.
static inline int soundbox_gpio_request_output(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, bool active_low, soundbox_gpio_line **line
) {
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    return soundbox_gpio_request(chip, offset, consumer, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, flags, line);
}

/// Requests the line as an input that reports both edges. Errors: see `soundbox_gpio_request_output`.
static inline int soundbox_gpio_request_input(
    soundbox_gpio_chip *chip, unsigned int offset, const char *consumer, bool active_low, soundbox_gpio_bias bias,
    soundbox_gpio_line **line
) {
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    switch (bias) {
    case SOUNDBOX_GPIO_BIAS_AS_IS: break;
    case SOUNDBOX_GPIO_BIAS_DISABLED: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE; break;
    case SOUNDBOX_GPIO_BIAS_PULL_UP: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP; break;
    case SOUNDBOX_GPIO_BIAS_PULL_DOWN: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN; break;
    }
    return soundbox_gpio_request(chip, offset, consumer, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES, flags, line);
}

static inline void soundbox_gpio_line_release(soundbox_gpio_line *line) { gpiod_line_release(line); }

/// The descriptor to poll for edges of an input. The library owns it.
static inline int soundbox_gpio_line_descriptor(soundbox_gpio_line *line) {
    int descriptor = gpiod_line_event_get_fd(line);
    return descriptor >= 0 ? descriptor : -errno;
}

/// 1 while the line is active, else 0.
static inline int soundbox_gpio_line_value(soundbox_gpio_line *line) {
    int value = gpiod_line_get_value(line);
    return value >= 0 ? value : -errno;
}

static inline int soundbox_gpio_line_set_value(soundbox_gpio_line *line, bool is_active) {
    return gpiod_line_set_value(line, is_active) == 0 ? 0 : -errno;
}

/// Reads the edges that are there, oldest first, up to `capacity` (at most 16). Blocks until there is one.
/// - Returns: the number of edges.
static inline int soundbox_gpio_line_read_edges(soundbox_gpio_line *line, soundbox_gpio_edge *edges, int capacity) {
    struct gpiod_line_event events[16];
    int count = gpiod_line_event_read_multiple(line, events, capacity < 16 ? (unsigned int)capacity : 16);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        edges[i].is_active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
        edges[i].time_ns = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
    }
    return count;
}
