// libopus for Swift, which cannot call functions with variable arguments.
#pragma once
#include <opus/opus.h>

static inline int soundbox_opus_set_bit_rate(OpusEncoder *encoder, opus_int32 bit_rate) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bit_rate));
}

static inline int soundbox_opus_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int soundbox_opus_set_music(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_MUSIC));
}

static inline int soundbox_opus_lookahead(OpusEncoder *encoder, opus_int32 *frames) {
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(frames));
}
