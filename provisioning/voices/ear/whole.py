"""A voice that has the whole integer of each amount as one recording, to tell what the joins within it cost.

usage: whole.py --sounds FOLDER/<voice> --rendered FOLDER --integers FOLDER --out FOLDER/<voice>

--rendered and --integers are what `soundbox-voicetools render --separate` left of that voice for amounts and for their
whole parts. The voice is copied to --out, and its list gets one more recording for each integer that is joined of
several; `soundbox-voicetools synthesize` then speaks them.
"""

import argparse
import json
import os
import shutil

MARKS = ".,!?;:…"


def joined_integer(segments, reading, of_integer):
    """The recordings of an amount that speak its integer alone, if there are several.

    `reading` is the amount in words, `of_integer` its whole part with the unit: what both begin with is the integer, in
    some languages with the unit.
    """
    shared = os.path.commonprefix([reading, of_integer])
    # What is said before the amount ends with a rest.
    rests = [place for place, segment in enumerate(segments) if "file" not in segment]
    found, said = [], ""
    for segment in segments[rests[-1] + 1 if rests else 0 :]:
        longer = [said + joint + segment["text"] for joint in ("", " ", "-")]
        longer = [text for text in longer if shared.startswith(text)]
        if not longer:
            break
        found.append(segment)
        said = longer[0]
    return (found, said) if len(found) > 1 else None


def main():
    import yaml

    parser = argparse.ArgumentParser(description="Gives a voice whole integers.")
    for option in ("--sounds", "--rendered", "--integers", "--out"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()

    def index(folder):
        with open(os.path.join(folder, "index.jsonl")) as file:
            return [json.loads(line) for line in file]

    shutil.copytree(arguments.sounds, arguments.out)
    with open(os.path.join(arguments.sounds, "voice.yaml")) as file:
        voice = yaml.safe_load(file)
    says = {entry["file"]: entry.get("say", "").rstrip(MARKS) for entry in voice["recordings"]}
    joint = "" if voice["synthesis"].get("phonemes") == "pinyin" else " "
    readings = {entry["amount"].partition(".")[0]: entry["reading"] for entry in index(arguments.integers)}
    integers = {}
    for entry in index(arguments.rendered):
        of_integer = readings.get(entry["amount"].partition(".")[0])
        found = of_integer and joined_integer(entry["segments"], entry["reading"], of_integer)
        if found:
            segments, text = found
            integers[text] = joint.join(says[os.path.splitext(segment["file"])[0]] for segment in segments)
    # The list of recordings is the last part of each voice.yaml.
    with open(os.path.join(arguments.out, "voice.yaml"), "a") as file:
        for number, (text, say) in enumerate(integers.items()):
            file.write(f'  - {{file: whole-{number}, text: "{text}", say: "{say}"}}\n')


if __name__ == "__main__":
    main()
