"""The comparison of words, without the recogniser: python3 -m unittest discover provisioning/voices/ear"""

import importlib.util
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

    @unittest.skipUnless(importlib.util.find_spec("pypinyin"), "pypinyin is in the ear's own environment")
    def test_a_number_that_is_half_in_digits_is_one_number(self):
        for written, said in {
            "600-19.12元": "六百一十九点一二元", "八百13.5元": "八百一十三点五元", "八百三十一.49元": "八百三十一点四九元",
            "30点05元": "三十点零五元", "800-1.5元": "八百零一点五元", "500-02.36元": "五百零二点三六元", "4,000元": "四千元", "两百元": "二百元",
            "8萬1千066.66元": "八万一千零六十六点六六元", "6万0115元": "六万零一百一十五元", "三百05元": "三百零五元",
        }.items():  # fmt: skip
            self.assertEqual(words.chinese(written), words.chinese(said), written)
        for written, said in {"900-022元": "九百零二元", "800-11元": "八百零一元", "60-190元": "六百一十九元", "1千66元": "一千零六十六元", "1千06元": "一千零六元"}.items():
            self.assertNotEqual(words.chinese(written), words.chinese(said), written)


class Comparison(unittest.TestCase):
    def test_marks_case_hyphens_and_joining_words_do_not_count(self):
        self.assertEqual(
            words.spaced("Received, one hundred and twenty-three dollars."),
            ["received", "one", "hundred", "twenty", "three", "dollars"],
        )

    def test_words_that_are_said_alike_are_one_word_in_english(self):
        self.assertEqual(words.english("Forty dollars and too sense."), words.english("forty dollars and two cents"))
        self.assertNotEqual(words.english("fifteen cents"), words.english("fifty cents"))

    def test_german_numerals_are_compared_part_by_part(self):
        self.assertEqual(
            words.german("Einhundertdreiundzwanzig Euro und fünfzig Cent"),
            ["ein", "hundert", "drei", "zwanzig", "euro", "fünfzig", "cent"],
        )
        self.assertEqual(words.german("drei und dreißig"), words.german("dreiunddreissig"))
        self.assertEqual(words.german("siebzehn sechzig"), ["siebzehn", "sechzig"])
        self.assertEqual(words.german("Zahlung"), ["zahlung"])

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
