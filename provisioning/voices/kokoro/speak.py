"""Speaks words and phrases with Kokoro-82M, one WAV file each.

usage: speak.py --model FILE --voice FILE.bin --phonemes SPELLING --out FOLDER [--kept FOLDER] < phrases

SPELLING says how a phrase is turned into the model's signs:
  pinyin           syllables with tone digits, those of a word joined: yi4bai3 er4shi2
  english          English text
  espeak:VOICE     text in the language of espeak-ng's VOICE, which must be installed

A phrase is one line of JSON: {"file": "yi4-bai3", "say": "yi4bai3", "speed": 1.0}. It is written to
FOLDER/yi4-bai3.wav (mono, 24 kHz, 16 bits), and its name is printed as soon as it is there. A say that ends with a mark
of punctuation is spoken with it; any other gets the full stop that the model wants after a sentence. The same phrase
gives the same samples every time: the model runs on one thread, and without chance. With --kept, what was spoken once
is kept there and taken from there the next time.
"""

import argparse
import array
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import wave

SAMPLE_RATE = 24_000
# The style of a phrase depends on how many tokens it has: a voice file has one row for each number.
STYLE_ROWS, STYLE_WIDTH = 510, 256
MARKS = ".,!?;:…"


class Refused(Exception):
    """What was asked for cannot be spoken; the message says why."""


def pinyin_phonemes(say):
    # The signs that Kokoro was trained with differ from misaki's IPA in the tones and in two syllabic consonants.
    from misaki.transcription import pinyin_to_ipa

    def syllable(pinyin):
        try:
            ipa = "".join(pinyin_to_ipa(pinyin)[0])
        except ValueError:
            raise Refused(f'"{pinyin}" is no syllable of pinyin with its tone, such as bai3') from None
        for tone, arrow in (("˧˩˧", "↓"), ("˧˥", "↗"), ("˥˩", "↘"), ("˥", "→")):
            ipa = ipa.replace(tone, arrow)
        ipa = ipa.replace("ɻ̩", "ɨ").replace("ɹ̩", "ɨ")
        return ipa.replace("\u032f", "").replace("\u0329", "")

    def word(match):
        return "".join(syllable(s) for s in re.findall(r"[^\d]+\d", match.group()))

    if re.search(r"[^\W\d](?![^\W\d]*\d)", say):
        raise Refused(f'"{say}": expected pinyin whose every syllable has its tone, 1 to 5')
    return re.sub(r"[^\W\d]+\d(?:[^\W\d]+\d)*", word, say)


def english_phonemes():
    from hibari.g2p import G2P

    # Reading its dictionary takes half a second.
    return G2P()


# What espeak-ng writes as two letters under a tie is one sign of the model; other signs have another letter.
ESPEAK = [
    ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^z", "ʣ"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("o^ʊ", "O"), ("ə^ʊ", "Q"), ("t^s", "ʦ"),
    ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"), ("^", ""), ("\u0329", ""), ("\u032a", ""), ("g", "ɡ"), ("ɚ", "əɹ"), ("ɬ", "l"),
]  # fmt: skip


def espeak_phonemes(voice):
    def phonemes(say):
        mark = say[-1] if say[-1] in MARKS else ""
        try:
            command = ["espeak-ng", "-q", "--ipa", "--tie=^", "-v", voice, "--", say]
            ipa = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        except FileNotFoundError:
            raise Refused("there is no espeak-ng; install the package espeak-ng") from None
        except subprocess.CalledProcessError as error:
            raise Refused(f"espeak-ng: {error.stderr.strip()}") from None
        # It tells of a change of language in brackets: (en)kˌanɐdˈɪˑən(hi)
        ipa = " ".join(re.sub(r"\([a-z-]+\)", "", ipa).split())
        for written, sign in ESPEAK:
            ipa = ipa.replace(written, sign)
        return ipa + mark

    return phonemes


def phonemiser(spelling):
    if spelling == "pinyin":
        return pinyin_phonemes
    if spelling == "english":
        return english_phonemes()
    if spelling.startswith("espeak:") and len(spelling) > len("espeak:"):
        return espeak_phonemes(spelling.removeprefix("espeak:"))
    raise Refused(f'no way of phonemes is called "{spelling}"; expected pinyin, english or espeak:VOICE')


class Speaker:
    def __init__(self, model, voice, spelling):
        import numpy
        import onnxruntime

        self.numpy = numpy
        self.phonemes = phonemiser(spelling)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vocabulary.json")) as file:
            self.vocabulary = json.load(file)
        # A phrase sounds as the model, the voice, the signs and the speed make it.
        self.identity = hashlib.sha256()
        for path in (model, voice):
            with open(path, "rb") as file:
                self.identity.update(file.read())
        self.styles = numpy.fromfile(voice, dtype=numpy.float32)
        if self.styles.size != STYLE_ROWS * STYLE_WIDTH:
            raise Refused(f"{voice} is not a voice of Kokoro: expected {STYLE_ROWS * STYLE_WIDTH * 4} bytes")
        self.styles = self.styles.reshape(STYLE_ROWS, STYLE_WIDTH)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def tokens(self, say):
        phonemes = self.phonemes(say).strip()
        if phonemes[-1:] not in MARKS:
            phonemes += "."
        unknown = sorted({sign for sign in phonemes if sign not in self.vocabulary})
        if unknown:
            raise Refused(f'"{say}": the model has no sign for {" ".join(unknown)} of "{phonemes}"')
        tokens = [self.vocabulary[sign] for sign in phonemes]
        if len(tokens) >= STYLE_ROWS:
            raise Refused(f'"{say}": {len(tokens)} signs are too many for one sentence; expected fewer than {STYLE_ROWS}')
        return tokens

    def key(self, tokens, speed):
        key = self.identity.copy()
        # 1 and 1.0 are one speed.
        key.update(json.dumps([tokens, int(speed) if speed == int(speed) else speed]).encode())
        return key.hexdigest()

    def speak(self, tokens, speed):
        numpy = self.numpy
        inputs = {
            "tokens": numpy.array([[0, *tokens, 0]], dtype=numpy.int64),
            "style": self.styles[len(tokens)][None, :],
            "speed": numpy.array([speed], dtype=numpy.float32),
        }
        return self.session.run(None, inputs)[0].reshape(-1)


def write(samples, path):
    # Half of full scale is left: the model may overshoot, and levelling comes later.
    values = array.array("h", (max(-32768, min(32767, round(float(s) * 16384))) for s in samples))
    partial = f"{path}.{os.getpid()}.partial"
    with wave.open(partial, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(values.tobytes())
    os.replace(partial, path)


def main():
    parser = argparse.ArgumentParser(description="Speaks phrases with Kokoro-82M.")
    for option in ("--model", "--voice", "--phonemes", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--kept")
    arguments = parser.parse_args()
    try:
        speaker = Speaker(arguments.model, arguments.voice, arguments.phonemes)
        for line in sys.stdin:
            phrase = json.loads(line)
            speed = phrase.get("speed", 1.0)
            path = os.path.join(arguments.out, f'{phrase["file"]}.wav')
            try:
                tokens = speaker.tokens(phrase["say"])
            except Refused as refused:
                raise Refused(f'{phrase["file"]}: {refused}') from None
            kept = arguments.kept and os.path.join(arguments.kept, f"{speaker.key(tokens, speed)}.wav")
            if not kept:
                write(speaker.speak(tokens, speed), path)
            else:
                if not os.path.exists(kept):
                    write(speaker.speak(tokens, speed), kept)
                shutil.copyfile(kept, path)
            print(phrase["file"], flush=True)
    except Refused as refused:
        sys.exit(f"speak.py: {refused}")


if __name__ == "__main__":
    main()
