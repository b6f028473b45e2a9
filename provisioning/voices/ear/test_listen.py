"""What the ear refuses, and how scores become ranks and margins, without the recogniser: python3 -m unittest discover provisioning/voices/ear"""

import importlib.util
import os
import subprocess
import tempfile
import unittest

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
if HAS_NUMPY:
    import listen


class Arguments(unittest.TestCase):
    def test_a_limit_that_counts_nothing_is_refused_by_its_value(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "listen")
        # Where it would go on, it could not make its environment here.
        environment = os.environ | {"SOUNDBOX_EAR_HOME": "/dev/null/ear"}
        for limit in ("0", "-1", "ten", ""):
            run = subprocess.run([program, "--limit", limit], env=environment, capture_output=True, text=True)
            expected = f"listen: --limit {limit}: expected how many amounts of each range, such as 50\n"
            self.assertEqual((run.returncode, run.stdout, run.stderr), (64, "", expected))


class FakeEar:
    """Scores by the table it is given; with near silence, by another one."""

    def __init__(self, heard, expected):
        self.heard, self.expected, self.asked = heard, expected, []

    def scores(self, samples, sentences, language):
        if samples is None:
            return [self.heard[sentence] for sentence in sentences]
        self.asked += sentences
        return [self.expected[sentence] for sentence in sentences]


def entry(amount, text, reading):
    return {"amount": amount, "currency": "USD", "text": text, "reading": reading}


@unittest.skipUnless(HAS_NUMPY, "numpy is in the ear's own environment")
class Ranks(unittest.TestCase):
    right = entry("5.00", "Received, five dollars", "five dollars")
    heard = {"Received, five dollars": -6.0, "Received, nine dollars": -5.0, "Received, six dollars": -9.0}
    expected = {"Received, five dollars": -20.0, "Received, nine dollars": -12.0, "Received, six dollars": -21.5}
    readings = {"5.00": ["nine dollars", "six dollars"]}

    def test_what_is_expected_in_silence_counts_for_nothing(self):
        ear = FakeEar(self.heard, self.expected)
        ranking = listen.Ranking(ear, listen.Silence(ear, None), "en", self.readings)
        rank, margin, other = ranking.of(self.right, None)
        self.assertEqual((rank, other), (1, "six dollars"))
        self.assertAlmostEqual(margin, 14.0 - 12.5)

    def test_one_that_scores_better_is_named(self):
        ear = FakeEar({**self.heard, "Received, nine dollars": 5.0}, self.expected)
        ranking = listen.Ranking(ear, listen.Silence(ear, None), "en", self.readings)
        rank, margin, other = ranking.of(self.right, None)
        self.assertEqual((rank, other), (2, "nine dollars"))
        self.assertAlmostEqual(margin, -3.0)

    def test_an_amount_that_cannot_be_placed_in_its_sentence_or_has_none_near_is_not_ranked(self):
        ear = FakeEar({}, {})
        ranking = listen.Ranking(ear, listen.Silence(ear, None), "en", self.readings)
        self.assertIsNone(ranking.of(entry("5.00", "Received, FIVE dollars", "five dollars"), None))
        self.assertIsNone(ranking.of(entry("6.00", "Received, six dollars", "six dollars"), None))

    def test_silence_is_listened_to_once_for_each_sentence_and_remembered_by_the_next_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "silence.json")
            ear = FakeEar({}, self.expected)
            silence = listen.Silence(ear, path)
            self.assertEqual(silence.scores(["Received, six dollars"], "en"), [-21.5])
            self.assertEqual(silence.scores(list(self.expected), "en"), list(self.expected.values()))
            self.assertEqual(sorted(ear.asked), sorted(self.expected))
            deaf = FakeEar({}, {})
            self.assertEqual(listen.Silence(deaf, path).scores(list(self.expected), "en"), list(self.expected.values()))

    def test_silence_that_was_heard_otherwise_is_heard_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "silence.json")
            listen.write_json(path, {"made_with": ["something else"], "scores": {"en Received, six dollars": -1.0}})
            ear = FakeEar({}, self.expected)
            self.assertEqual(listen.Silence(ear, path).scores(["Received, six dollars"], "en"), [-21.5])

    def test_ranges_have_their_own_counts_and_medians(self):
        score = listen.Score()
        for amount, margin in (("5.00", 1.0), ("6.00", 3.0), ("7.00", -2.0), ("500.00", 4.0)):
            score.rank(entry(amount, "", ""), (1 if margin > 0 else 2, margin, "another"))
        self.assertEqual(score.ranked(10), {"ranked": 3, "ranked_right": 2, "margin": 1.0})
        self.assertEqual(score.ranked(1000), {"ranked": 1, "ranked_right": 1, "margin": 4.0})
        self.assertEqual(score.ranked(), {"ranked": 4, "ranked_right": 3, "margin": 2.0})
        self.assertEqual(score.ranked(10_000), {})
        self.assertEqual([taken["amount"] for taken in score.taken], ["7.00"])


if __name__ == "__main__":
    unittest.main()
