"""A machine's ear: what a recogniser understands of a voice's amounts.

usage: listen.py --model FOLDER --rendered FOLDER [--near FOLDER] [--whole FOLDER] [--condition NAME]… [--hint]
                 [--results FILE.json]

--rendered is what `soundbox-voicetools render --separate` left: a folder for each voice, with index.jsonl. The recogniser is
Whisper base with a beam of 5 and temperature 0, no sentence conditioned on the one before. It is weak: its figures
compare voices and shops, and say little about people. Conditions: quiet, shop10, shop5 and shop0 (shop.py; dB of speech
to noise). `--chain FOLDER` is the same amounts rendered for a small speaker, heard under the names small10 and small5.
`--whole FOLDER` is the same amounts by voices that whole.py made; they are not heard under those two names.

`--near FOLDER` has readings of near amounts in <voice>.tsv: amount, near amount, reading. With it the recogniser also
ranks the right sentence against near ones (near.py): each is given to it as what was said, and its score is the sum of
the log-probabilities of the sentence's signs, less the same sum with near silence to listen to, which is what it
expects anyway. The margin is the right sentence's score less the best other one's.
"""

import argparse
import collections
import json
import os
import statistics
import sys
import unicodedata

import draw
import near
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
CONDITIONS = ("quiet", "shop10", "shop5", "shop0", "small10", "small5")
# As many sentences at once are the cheapest.
BATCH = 2
# Noise at -80 dBFS: the recogniser hears nothing in it, and is not given the zeros of a file without sound.
SILENCE = 1e-4


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

    def scores(self, samples, sentences, language):
        """The log-probability of each sentence, were it what is said."""
        import ctranslate2
        from faster_whisper.audio import pad_or_trim
        from faster_whisper.tokenizer import Tokenizer

        tokenizer = Tokenizer(self.model.hf_tokenizer, True, task="transcribe", language=language)
        picture = numpy.array(self.model.encode(pad_or_trim(self.model.feature_extractor(samples.astype(numpy.float32)))))
        # All 30 s, though an announcement is shorter: cut to 10 s it costs half, and the right sentence of an English
        # amount fell from -11 to -61.
        # The end is not scored, or one that stops early would be the best: the full stop is.
        texts = [tokenizer.encode(sentence + "。" if language == "zh" else f" {sentence}.") for sentence in sentences]
        found = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            pictures = ctranslate2.StorageView.from_array(numpy.repeat(picture, len(batch), axis=0))
            # The alignment is not looked at: two frames make it cheap.
            for result in self.model.model.align(pictures, tokenizer.sot_sequence, batch, 2):
                found.append(float(numpy.log(numpy.maximum(result.text_token_probs, 1e-30)).sum()))
        return found


class Silence:
    """What sentences score with near silence. Kept in a file, which runs beside each other share."""

    MADE_WITH = [SILENCE]

    def __init__(self, ear, path):
        self.ear, self.path, self.known = ear, path, {}

    def scores(self, sentences, language):
        new = self.unknown(sentences, language)
        if new:
            self.load()
            new = self.unknown(sentences, language)
        if new:
            noise = SILENCE * numpy.random.default_rng(70).standard_normal(5 * shop.RATE)
            for sentence, score in zip(new, self.ear.scores(noise, new, language)):
                self.known[f"{language} {sentence}"] = score
            self.save()
        return [self.known[f"{language} {sentence}"] for sentence in sentences]

    def unknown(self, sentences, language):
        return [sentence for sentence in sentences if f"{language} {sentence}" not in self.known]

    def load(self):
        if self.path and os.path.exists(self.path):
            with open(self.path) as file:
                kept = json.load(file)
            if kept["made_with"] == self.MADE_WITH:
                self.known.update(kept["scores"])

    def save(self):
        if self.path:
            write_json(self.path, {"made_with": self.MADE_WITH, "scores": self.known})


class Ranking:
    """The right sentence among near ones, by one voice."""

    def __init__(self, ear, silence, language, readings):
        self.ear, self.silence, self.language, self.readings = ear, silence, language, readings

    def of(self, entry, samples):
        """The rank, the margin, and the best other reading; `None` where the voice has no near readings."""
        right = entry["reading"]
        others = near.candidates(right, self.readings.get(entry["amount"], []), self.language)
        if not others or right not in entry["text"]:
            return None
        sentences = [entry["text"].replace(right, reading) for reading in (right, *others)]
        heard = self.ear.scores(samples, sentences, self.language)
        expected = self.silence.scores(sentences, self.language)
        scores = [loud - quiet for loud, quiet in zip(heard, expected)]
        rank, margin = near.placed(scores[0], scores[1:])
        return rank, margin, others[scores.index(max(scores[1:]), 1) - 1]


def near_readings(folder, voice):
    """The readings of near amounts, by the amount."""
    path = os.path.join(folder, f"{voice}.tsv")
    readings = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            amount, _, reading = line.rstrip("\n").split("\t")
            readings[amount].append(reading)
    return readings


def write_json(path, content):
    partial = f"{path}.partial.{os.getpid()}"
    with open(partial, "w") as file:
        json.dump(content, file, ensure_ascii=False, indent=1)
    os.replace(partial, path)


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
        # By the range: the margins of the right sentences.
        self.margins = collections.defaultdict(list)
        self.taken = []

    def rank(self, entry, ranked):
        rank, margin, other = ranked
        self.margins[draw.range_of(entry["amount"], entry["currency"])].append(margin)
        if margin <= 0:
            self.taken.append(
                {
                    "amount": entry["amount"], "said": entry["reading"], "taken_for": other, "rank": rank,
                    "margin": round(margin, 2),
                }  # fmt: skip
            )

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
            "ranges": [
                {"below": end, "right": right, "amounts": amounts, **self.ranked(end)}
                for end, (right, amounts) in sorted(self.ranges.items())
            ],
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
            "taken": sorted(self.taken, key=lambda taken: taken["margin"]),
        }

    def ranked(self, end=None):
        """How many of a range, or of all, are ranked right, and their median margin."""
        margins = [margin for below, found in self.margins.items() for margin in found if end in (None, below)]
        if not margins:
            return {}
        return {
            "ranked": len(margins),
            "ranked_right": sum(margin > 0 for margin in margins),
            "margin": round(statistics.median(margins), 2),
        }


def main():
    parser = argparse.ArgumentParser(description="What a recogniser understands of a voice's amounts.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--rendered", required=True)
    parser.add_argument("--chain", help="the same amounts, rendered for a small speaker")
    parser.add_argument("--whole", help="the same amounts, each integer in one recording")
    parser.add_argument("--near", help="readings of near amounts: the right one is ranked against them")
    parser.add_argument("--silence", help="a file that keeps what sentences score with near silence")
    parser.add_argument("--babble", help="more voices, for the people in the shop only")
    parser.add_argument("--condition", action="append", choices=CONDITIONS)
    parser.add_argument("--hint", action="store_true", help="show the recogniser the first amount's words, and do not judge it")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results")
    parser.add_argument("--at-least", type=int, help="fail when fewer than this percentage is right in quiet")
    arguments = parser.parse_args()
    ear = Ear(arguments.model, arguments.threads)
    silence = Silence(ear, arguments.silence)
    voices = sorted(
        name for name in os.listdir(arguments.rendered) if os.path.exists(os.path.join(arguments.rendered, name, "index.jsonl"))
    )
    conditions = arguments.condition or ["quiet"]
    results = {}
    too_few = []
    for voice in voices:
        language, split = comparison(voice)
        ranking = Ranking(ear, silence, language, near_readings(arguments.near, voice)) if arguments.near else None
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
                    if ranking and (ranked := ranking.of(entry, sound)):
                        score.rank(entry, ranked)
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
            for taken in result["taken"][:5]:
                print(f"{'':14} {taken['said']} is taken for {taken['taken_for']} (margin {taken['margin']})")
            if arguments.results:
                write_json(arguments.results, results)
    if too_few:
        sys.exit(f"listen.py: fewer than {arguments.at_least} % of the amounts were understood of {', '.join(too_few)}")


def print_table(voice, condition, scores, currency):
    """A line for each range, with what is heard right and the interval of 95 %."""

    def share(right, amounts):
        low, high = draw.interval(right, amounts)
        return f"{right:3} of {amounts:3} ({100 * low:3.0f}–{100 * high:3.0f} %)"

    def line(title, cells):
        print(f"{title:24} {'   '.join(f'{cell:29}' for cell in cells)}".rstrip(), flush=True)

    def cells(written, ranked):
        if not ranked:
            return [share(*written)]
        return [share(*written), f"{share(ranked['ranked_right'], ranked['ranked'])} {ranked['margin']:+5.1f}"]

    ways = list(scores.values())
    titles = {way: "whole integers" if way == "whole" else way for way in scores}
    line(
        f"{voice} {condition}",
        [title for way, score in scores.items() for title in [titles[way]] + ["  ranked, margin"] * bool(score.margins)],
    )
    for end in sorted(ways[0].ranges):
        line(
            f"  {draw.range_name(end, currency)}",
            [cell for score in ways for cell in cells(score.ranges[end], score.ranked(end))],
        )
    line("  together", [cell for score in ways for cell in cells((score.right, score.amounts), score.ranked())])
    line("  error", [cell for score in ways for cell in [f"{score.result['error']:.1f} %"] + [""] * bool(score.margins)])


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
