"""What a small shop does to a voice: a small speaker, a room, and the noise of people and a fan.

Everything is computed from fixed seeds, so that two voices are heard in the same shop.
"""

import numpy

RATE = 16_000
# A loudspeaker of 40 mm in a small box gives little below its resonance and above its first break-up.
SPEAKER_HZ = (300.0, 5000.0)
# A furnished room of some 40 m³: seconds until a sound is 60 dB down, and how far the room's sound lies below the
# direct one, a metre from the speaker.
REVERBERATION_S, REVERBERATION_DB = 0.4, -6.0


def through_speaker(samples):
    """Band-limited as a speaker of 40 mm is, with slopes of 24 dB per octave at both ends."""
    spectrum = numpy.fft.rfft(samples)
    hertz = numpy.fft.rfftfreq(len(samples), 1 / RATE)
    low, high = SPEAKER_HZ
    with numpy.errstate(divide="ignore"):
        gain = 1 / numpy.sqrt(1 + (low / numpy.maximum(hertz, 1e-3)) ** 8) / numpy.sqrt(1 + (hertz / high) ** 8)
    return numpy.fft.irfft(spectrum * gain, len(samples))


def in_room(samples):
    """With the room's answer behind it: noise that dies away, 2 ms after the direct sound."""
    length = int(REVERBERATION_S * RATE)
    answer = numpy.random.default_rng(40).standard_normal(length) * 10 ** (-3 * numpy.arange(length) / length)
    answer *= 10 ** (REVERBERATION_DB / 20) / numpy.sqrt((answer**2).sum())
    impulse = numpy.concatenate([[1.0], numpy.zeros(int(0.002 * RATE)), answer])
    return convolved(samples, impulse)


def convolved(samples, impulse):
    length = len(samples) + len(impulse) - 1
    size = 1 << (length - 1).bit_length()
    return numpy.fft.irfft(numpy.fft.rfft(samples, size) * numpy.fft.rfft(impulse, size), size)[:length]


def fan(length):
    """Air, falling by 6 dB per octave from 200 Hz, and the hum of its motor."""
    noise = numpy.fft.rfft(numpy.random.default_rng(50).standard_normal(length))
    hertz = numpy.fft.rfftfreq(length, 1 / RATE)
    air = numpy.fft.irfft(noise / numpy.maximum(hertz, 200), length)
    seconds = numpy.arange(length) / RATE
    hum = sum(numpy.sin(2 * numpy.pi * hertz * seconds + hertz) / order for order, hertz in enumerate((100, 200, 300), 1))
    return unit(air) + 0.3 * unit(hum)


def babble(voices, length):
    """Six people at once: announcements in other languages, begun anywhere and played backwards, so that there is speech
    all over and no word in it."""
    random = numpy.random.default_rng(60)
    people = []
    for _ in range(6):
        track = numpy.zeros(0)
        while len(track) < length:
            track = numpy.concatenate([track, unit(voices[random.integers(len(voices))])[::-1]])
        start = random.integers(len(track) - length + 1)
        people.append(unit(track[start : start + length]))
    return unit(sum(people))


def unit(samples):
    """At a root mean square of one."""
    return samples / max(1e-9, float(numpy.sqrt((samples**2).mean())))


def speech_level(samples):
    """Root mean square of the blocks of 20 ms in which somebody speaks: those within 30 dB of the loudest."""
    blocks = samples[: len(samples) // 320 * 320].reshape(-1, 320)
    power = (blocks**2).mean(axis=1)
    return float(numpy.sqrt(power[power > power.max() * 1e-3].mean()))


def heard_in_shop(samples, voices, snr):
    """The announcement at the customer's ear; `snr` in dB, of its speech to babble and fan together."""
    speech = in_room(through_speaker(numpy.concatenate([numpy.zeros(RATE // 2), samples, numpy.zeros(RATE // 2)])))
    noise = unit(babble(voices, len(speech)) + unit(fan(len(speech))))
    mixed = speech + noise * speech_level(speech) * 10 ** (-snr / 20)
    return mixed * 0.5 / numpy.abs(mixed).max()
