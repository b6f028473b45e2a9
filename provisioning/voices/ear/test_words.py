"""The comparison of words, without the recogniser: python3 -m unittest discover provisioning/voices/ear"""

import unittest

import words


class MandarinNumbers(unittest.TestCase):
    def test_digits_are_read_as_the_voices_read_amounts(self):
        for digits, reading in {
            "0": "零", "0.05": "零点零五", "10": "十", "12": "十二", "110": "一百一十", "105": "一百零五",
            "1005": "一千零五", "1010": "一千零一十", "1500.5": "一千五百点五", "10500": "一万零五百", "100000": "十万",
            "100005": "十万零五", "1234567": "一百二十三万四千五百六十七", "105000000": "一亿零五百万",
        }.items():  # fmt: skip
            self.assertEqual(words.mandarin_number(digits), reading)


class Comparison(unittest.TestCase):
    def test_marks_case_hyphens_and_joining_words_do_not_count(self):
        self.assertEqual(
            words.spaced("Received, one hundred and twenty-three dollars."),
            ["received", "one", "hundred", "twenty", "three", "dollars"],
        )

    def test_marks_that_belong_to_a_letter_stay(self):
        self.assertEqual(words.unspaced("สิบ บาท."), list("สิบบาท"))
        self.assertEqual(words.spaced("तीन रुपये।"), ["तीन", "रुपये"])
        self.assertNotEqual(words.spaced("cinq"), words.spaced("cinque"))

    def test_the_cheapest_alignment_names_what_was_confused(self):
        self.assertEqual(
            words.alignment(["si", "shi", "yuan"], ["shi", "shi", "yuan"]),
            [("si", "shi"), ("shi", "shi"), ("yuan", "yuan")],
        )
        self.assertEqual(words.alignment(["a", "b"], ["a"]), [("a", "a"), ("b", None)])
        self.assertEqual(words.alignment([], ["a"]), [(None, "a")])


if __name__ == "__main__":
    unittest.main()
