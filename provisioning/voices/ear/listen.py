"""A machine's ear: what a recogniser understands of a voice's amounts.

usage: listen.py --model FOLDER --rendered FOLDER [--whole FOLDER] [--condition NAME]… [--hint] [--results FILE.json]

--rendered is what `soundbox-voicetools render --separate` left: a folder for each voice, with index.jsonl. The recogniser is
Whisper base with a beam of 5 and temperature 0, no sentence conditioned on the one before. It is weak: its figures
compare voices and shops, and say little about people. Conditions: quiet, shop10 and shop5 (shop.py; dB of speech to
noise). `--chain FOLDER` is the same amounts rendered for a small speaker, heard under the names small10 and small5.
`--whole FOLDER` is the same amounts by voices that whole.py made; they are not heard under those two names.
"""

import argparse
import collections
import json
import os
import sys
import unicodedata

import draw
import numpy
import shop
import words

# The recogniser's name for a language, and how its words are compared. It knows no Cantonese: what it writes is read as
# Mandarin, so that column means little.
LANGUAGES = {
    "zh": ("zh", words.chinese), "en": ("en", words.english), "th": ("th", words.unspaced), "ko": ("ko", words.unspaced),
    "de": ("de", words.german),
}  # fmt: skip
# Whisper's first token that is no text.
END = 50257
CONDITIONS = ("quiet", "shop10", "shop5", "small10", "small5")


def is_figure(sign):
    return sign.isdigit() or sign == "%" or unicodedata.category(sign) == "Sc"


def comparison(locale):
    language = locale.split("-")[0]
    return LANGUAGES.get(language, (language, words.spaced))


class Ear:
    def __init__(self, model, threads):
        from faster_whisper import WhisperModel

        self.model = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=threads)
        vocabulary = self.model.hf_tokenizer.get_vocab()
        # A sign of money calls for digits: without them the recogniser would go on writing the sign.
        self.digits = [token for text, token in vocabulary.items() if token < END and any(map(is_figure, text))]

    def hear(self, samples, language, hint=None):
        # Digits are words of the language everywhere but in Chinese, where they can be turned into words again.
        suppressed = [-1] if language == "zh" else [-1, *self.digits]
        segments, _ = self.model.transcribe(
            samples.astype(numpy.float32),
            language=language,
            beam_size=5,
            temperature=0,
            initial_prompt=hint,
            condition_on_previous_text=False,
            suppress_tokens=suppressed,
            # An announcement is shorter; a recogniser that repeats itself for ever is wrong early enough.
            max_new_tokens=120,
        )
        return "".join(segment.text for segment in segments).strip()


def samples(path):
    from faster_whisper.audio import decode_audio

    return decode_audio(path, sampling_rate=shop.RATE).astype(numpy.float64)


def index(folder):
    with open(os.path.join(folder, "index.jsonl")) as file:
        return [json.loads(line) for line in file]


class Score:
    """What was understood of one voice under one condition."""

    def __init__(self):
        self.words = self.errors = 0
        # By the range: how many are right, of how many.
        self.ranges = collections.defaultdict(lambda: [0, 0])
        self.confusions = collections.Counter()
        self.phrases = collections.defaultdict(lambda: [0, 0])
        self.wrong = []

    def add(self, entry, split, text):
        wanted, amount, heard = split(entry["text"]), split(entry["reading"]), split(text)
        pairs = words.alignment(wanted, heard)
        self.blame(entry, split, pairs)
        errors = sum(1 for pair in pairs if pair[0] != pair[1])
        # The amount ends most sentences, but not those of every language.
        is_right = any(heard[start : start + len(amount)] == amount for start in range(len(heard) - len(amount) + 1))
        tally = self.ranges[draw.range_of(entry["amount"], entry["currency"])]
        tally[0] += is_right
        tally[1] += 1
        self.words += len(wanted)
        self.errors += errors
        self.confusions.update(pair for pair in pairs if pair[0] != pair[1] and pair[0] in amount)
        if not is_right:
            self.wrong.append({"amount": entry["amount"], "said": entry["text"], "heard": text, "errors": errors})

    def blame(self, entry, split, pairs):
        """Counts for each recording how often it was played, and how often a word of it was not understood."""
        missed = iter([said != heard for said, heard in pairs if said is not None])
        for segment in entry["segments"]:
            if "file" not in segment:
                continue
            parts = [next(missed, False) for _ in split(segment["text"])]
            self.phrases[segment["file"], segment["text"]][0] += 1
            self.phrases[segment["file"], segment["text"]][1] += any(parts)

    @property
    def right(self):
        return sum(right for right, _ in self.ranges.values())

    @property
    def amounts(self):
        return sum(amounts for _, amounts in self.ranges.values())

    @property
    def result(self):
        return {
            "amounts": self.amounts,
            "right": self.right,
            "ranges": [{"below": end, "right": right, "amounts": amounts} for end, (right, amounts) in sorted(self.ranges.items())],
            "error": round(100 * self.errors / max(1, self.words), 1),
            "confusions": [
                {"said": said, "heard": heard, "times": times}
                for (said, heard), times in self.confusions.most_common(5)
            ],
            # Those that are worth being spoken again with other settings.
            "phrases": [
                {"file": file, "text": text, "played": played, "misheard": misheard}
                for (file, text), (played, misheard) in sorted(
                    self.phrases.items(), key=lambda item: (-item[1][1] / item[1][0], -item[1][1])
                )
                if misheard > 1 and 3 * misheard > played
            ],
            "worst": sorted(self.wrong, key=lambda wrong: -wrong["errors"]),
        }


def main():
    parser = argparse.ArgumentParser(description="What a recogniser understands of a voice's amounts.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--rendered", required=True)
    parser.add_argument("--chain", help="the same amounts, rendered for a small speaker")
    parser.add_argument("--whole", help="the same amounts, each integer in one recording")
    parser.add_argument("--babble", help="more voices, for the people in the shop only")
    parser.add_argument("--condition", action="append", choices=CONDITIONS)
    parser.add_argument("--hint", action="store_true", help="show the recogniser the first amount's words, and do not judge it")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results")
    parser.add_argument("--at-least", type=int, help="fail when fewer than this percentage is right in quiet")
    arguments = parser.parse_args()
    ear = Ear(arguments.model, arguments.threads)
    voices = sorted(
        name for name in os.listdir(arguments.rendered) if os.path.exists(os.path.join(arguments.rendered, name, "index.jsonl"))
    )
    conditions = arguments.condition or ["quiet"]
    results = {}
    too_few = []
    for voice in voices:
        language, split = comparison(voice)
        others = None
        for condition in conditions:
            is_small = condition.startswith("small")
            if is_small and arguments.chain is None:
                sys.exit(f"listen.py: {condition} needs --chain, the amounts rendered for a small speaker")
            roots = {"joined": arguments.chain if is_small else arguments.rendered}
            if arguments.whole and not is_small:
                roots["whole"] = arguments.whole
            scores = {}
            for way, root in roots.items():
                score = scores[way] = Score()
                entries = index(os.path.join(root, voice))
                # Somebody at the counter knows what the box says, and not how much.
                hint = entries.pop(0)["text"] if arguments.hint else None
                for entry in entries:
                    sound = samples(os.path.join(root, voice, entry["file"]))
                    if condition != "quiet":
                        others = others or people([arguments.rendered, arguments.babble], voice)
                        sound = shop.heard_in_shop(sound, others, float(condition.lstrip("shopmal")))
                    score.add(entry, split, ear.hear(sound, language, hint))
                    if sys.stderr.isatty():
                        print(f"\r{voice} {condition} {way}: {score.right}/{score.amounts} ", end="", file=sys.stderr, flush=True)
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            print_table(voice, condition, scores, entries[0]["currency"])
            result = scores["joined"].result
            results.setdefault(voice, {})[condition] = {way: score.result for way, score in scores.items()}
            for confusion in result["confusions"][:3]:
                print(f"{'':14} {confusion['said']} → {confusion['heard'] or 'nothing'}: {confusion['times']} times")
            for phrase in result["phrases"][:5]:
                print(f"{'':14} {phrase['text']} ({phrase['file']}): misheard {phrase['misheard']} of {phrase['played']} times")
            if condition == "quiet" and arguments.at_least is not None and result["right"] * 100 < arguments.at_least * result["amounts"]:
                too_few.append(voice)
                for wrong in result["worst"][:8]:
                    print(f"{'':14} {wrong['said']}  heard as  {wrong['heard']}")
            if arguments.results:
                with open(f"{arguments.results}.partial", "w") as file:
                    json.dump(results, file, ensure_ascii=False, indent=1)
                os.replace(f"{arguments.results}.partial", arguments.results)
    if too_few:
        sys.exit(f"listen.py: fewer than {arguments.at_least} % of the amounts were understood of {', '.join(too_few)}")


def print_table(voice, condition, scores, currency):
    """A line for each range, with what is heard right and the interval of 95 %."""

    def share(right, amounts):
        low, high = draw.interval(right, amounts)
        return f"{right:3} of {amounts:3} ({100 * low:3.0f}–{100 * high:3.0f} %)"

    def line(title, cells):
        print(f"{title:24} {'   '.join(f'{cell:23}' for cell in cells)}".rstrip(), flush=True)

    ways = list(scores.values())
    line(f"{voice} {condition}", ["whole integers" if way == "whole" else way for way in scores])
    for end in sorted(ways[0].ranges):
        line(f"  {draw.range_name(end, currency)}", [share(*score.ranges[end]) for score in ways])
    line("  together", [share(score.right, score.amounts) for score in ways])
    line("  error", [f"{score.result['error']:.1f} %" for score in ways])


def people(roots, voice):
    """Whom the babble is made of: voices of other languages, the same ones each time. A voice alone hears itself."""
    folders = {
        name: os.path.join(root, name)
        for root in reversed(roots)
        if root
        for name in os.listdir(root)
        if os.path.exists(os.path.join(root, name, "index.jsonl"))
    }
    names = sorted(name for name in folders if name.split("-")[0] != voice.split("-")[0])[:5] or [voice]
    return [samples(os.path.join(folders[name], entry["file"])) for name in names for entry in index(folders[name])[:4]]


if __name__ == "__main__":
    main()
