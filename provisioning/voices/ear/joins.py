"""How natural the joins are: announcements put together from recordings, beside the same words spoken in one go.

usage: joins.py --sounds FOLDER/<voice> --rendered FOLDER --speak PROGRAM

--rendered is what `soundbox-voicetools render --separate` left for that voice, PROGRAM is kokoro/speak. For each amount the
synthesiser speaks the whole sentence, and both are compared: length and rests, loudness, and steps of pitch. A step of
pitch is the distance, in semitones, between the last voiced 30 ms before a place and the first voiced 30 ms behind it.
In the joined announcement the places are the joins, in the whole sentence all places where the voice stops and goes on.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy
import yaml

RATE = 22_050
HOP, WINDOW = 110, 661  # 5 and 30 ms
MOST_APART_S = 0.25


def samples(path):
    from faster_whisper.audio import decode_audio

    return decode_audio(path, sampling_rate=RATE).astype(numpy.float64)


def sounding(sound):
    """Without the silence at both ends (−50 dB below the loudest)."""
    loud = numpy.flatnonzero(numpy.abs(sound) > numpy.abs(sound).max() * 10 ** (-50 / 20))
    return sound[loud[0] : loud[-1] + 1]


def loudness(sound):
    """Mean power of the blocks of 400 ms that lie above −70 dBFS and above the mean less 10 dB: EBU R 128 without its
    filter, for differences between sounds of one voice."""
    size, step = int(0.4 * RATE), int(0.1 * RATE)
    blocks = numpy.array([(sound[at : at + size] ** 2).mean() for at in range(0, max(1, len(sound) - size + 1), step)])
    blocks = blocks[blocks > 1e-7]
    return 10 * numpy.log10(blocks[blocks > blocks.mean() / 10].mean())


def pitch(sound):
    """Hertz every 5 ms, 0 where nothing is voiced, by the autocorrelation of 30 ms."""
    frames = []
    shortest, longest = RATE // 400, RATE // 70
    floor = numpy.abs(sound).max() * 10 ** (-35 / 20)
    for at in range(0, len(sound) - WINDOW, HOP):
        frame = sound[at : at + WINDOW]
        if numpy.abs(frame).max() < floor:
            frames.append(0.0)
            continue
        spectrum = numpy.fft.rfft(frame * numpy.hanning(WINDOW), 2048)
        correlation = numpy.fft.irfft(numpy.abs(spectrum) ** 2)[: longest + 1]
        window = numpy.fft.irfft(numpy.abs(numpy.fft.rfft(numpy.hanning(WINDOW), 2048)) ** 2)[: longest + 1]
        correlation = correlation / correlation[0] / (window / window[0])
        lag = shortest + int(correlation[shortest:].argmax())
        frames.append(RATE / lag if correlation[lag] > 0.6 else 0.0)
    return numpy.array(frames)


def step(hertz, at):
    """Semitones between the voices before and behind a place; `None` where one is too far away."""
    reach = int(MOST_APART_S * RATE / HOP)
    before, behind = hertz[max(0, at - reach) : at], hertz[at : at + reach]
    before, behind = before[before > 0], behind[behind > 0]
    return None if not len(before) or not len(behind) else abs(12 * numpy.log2(behind[0] / before[-1]))


def gaps(hertz):
    """Where the voice stops and goes on within a quarter of a second."""
    voiced = numpy.flatnonzero(hertz > 0)
    return [int(here) + 1 for here, there in zip(voiced, voiced[1:]) if 1 < there - here <= MOST_APART_S * RATE / HOP]


def place(recording, sound, start):
    """Where a recording begins in what was put together of several, not before `start`."""
    part = sound[start:]
    size = 1 << (len(part) + len(recording)).bit_length()
    match = numpy.fft.irfft(numpy.fft.rfft(part, size) * numpy.conj(numpy.fft.rfft(recording, size)), size)
    return start + int(match[: len(part)].argmax())


def rests(sound):
    """Seconds of the pauses of 60 ms and more within the sound."""
    block = RATE // 100
    floor = numpy.abs(sound).max() * 10 ** (-45 / 20)
    silent = [numpy.abs(sound[at : at + block]).max() < floor for at in range(0, len(sound) - block, block)]
    total = run = 0
    for quiet in [*silent, False]:
        if quiet:
            run += 1
        else:
            total += run if run >= 6 else 0
            run = 0
    return total / 100


def main():
    parser = argparse.ArgumentParser(description="Compares joined announcements with whole sentences.")
    for option in ("--sounds", "--rendered", "--speak"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()
    with open(os.path.join(arguments.sounds, "voice.yaml")) as file:
        voice = yaml.safe_load(file)
    synthesis = voice.get("synthesis") or {}
    if synthesis.get("program") != "kokoro":
        sys.exit(f"joins.py: {arguments.sounds} is not spoken by kokoro; there is nothing to compare with")
    says = {entry["file"]: entry["say"] for entry in voice["recordings"] if "say" in entry}
    with open(os.path.join(arguments.rendered, "index.jsonl")) as file:
        entries = [json.loads(line) for line in file]
    with tempfile.TemporaryDirectory() as folder:
        joint = "" if synthesis["phonemes"] == "pinyin" else " "
        with open(os.path.join(folder, "phrases"), "w") as file:
            for number, entry in enumerate(entries):
                say = ""
                for segment in entry["segments"]:
                    if "file" not in segment:
                        say = say.rstrip(",. ") + ", "
                    else:
                        say += ("" if not say or say.endswith(" ") else joint) + says[os.path.splitext(segment["file"])[0]]
                speed = synthesis.get("speed", 1.0)
                file.write(json.dumps({"file": str(number), "say": say, "speed": speed}) + "\n")
        subprocess.run(
            ["bash", arguments.speak, "phrases", synthesis["voice"], synthesis["phonemes"], f"{folder}/phrases", folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        lengths, speech, louder, at_joins, in_words = [], [], [], [], []
        for number, entry in enumerate(entries):
            joined = samples(os.path.join(arguments.rendered, entry["file"]))
            whole = sounding(samples(f"{folder}/{number}.wav"))
            hertz, start = pitch(joined), 0
            for index, segment in enumerate(entry["segments"]):
                if "file" not in segment:
                    continue
                recording = samples(os.path.join(arguments.sounds, segment["file"]))
                start = place(recording, joined, start)
                if index and "file" in entry["segments"][index - 1]:
                    at_joins.append(step(hertz, start // HOP))
                start += len(recording) // 2
            joined = sounding(joined)
            hertz = pitch(whole)
            in_words += [step(hertz, at) for at in gaps(hertz)]
            lengths.append(len(joined) / len(whole))
            speech.append((len(joined) / RATE - rests(joined)) / (len(whole) / RATE - rests(whole)))
            louder.append(loudness(joined) - loudness(whole))
    # The synthesiser's own level is arbitrary: what matters is how much it differs from one sentence to the next.
    louder = numpy.array(louder) - numpy.median(louder)
    at_joins = numpy.array([value for value in at_joins if value is not None])
    in_words = numpy.array([value for value in in_words if value is not None])
    name = os.path.basename(os.path.normpath(arguments.sounds))
    print(f"{name}: {len(entries)} announcements, joined beside whole")
    print(f"  length                {numpy.median(lengths):.2f} (95 %: {numpy.percentile(lengths, 95):.2f})")
    print(f"  without rests         {numpy.median(speech):.2f} (95 %: {numpy.percentile(speech, 95):.2f})")
    print(f"  loudness              ± {numpy.percentile(numpy.abs(louder), 95):.1f} dB (95 %)")
    for title, values in (("pitch at joins", at_joins), ("pitch in whole", in_words)):
        if len(values):
            print(f"  {title}        {numpy.median(values):.1f} semitones (95 %: {numpy.percentile(values, 95):.1f}) at {len(values)} places")


if __name__ == "__main__":
    main()
