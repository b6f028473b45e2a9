"""Near misses and how clearly they are told apart, without the recogniser: python3 -m unittest discover provisioning/voices/ear"""

import io
import sys
import unittest
from unittest import mock

import draw
import near


class NearAmounts(unittest.TestCase):
    def test_each_digit_is_changed_and_lost_and_two_are_exchanged(self):
        found = near.amounts("31.98", "CNY")
        for other in ("41.98", "30.98", "31.08", "31.99", "1.98", "3.98", "31.80", "31.90", "13.98", "39.18", "31.89"):
            self.assertIn(other, found)

    def test_zeros_are_put_in_and_left_out(self):
        self.assertLessEqual({"301.98", "310.98", "31.09"}, set(near.amounts("31.98", "CNY")))
        self.assertLessEqual({"15.20", "1005.20", "105.02"}, set(near.amounts("105.20", "CNY")))

    def test_the_point_is_lost_with_its_digits_and_without(self):
        self.assertLessEqual({"31.00", "3198.00"}, set(near.amounts("31.98", "CNY")))

    def test_none_is_the_amount_itself_or_nothing_and_none_comes_twice(self):
        for currency in ("CNY", "USD", "TWD", "KRW", "VND", "IDR"):
            for amount in draw.drawn(currency, "near", 10):
                found = near.amounts(amount, currency)
                self.assertEqual(len(set(found)), len(found), amount)
                self.assertNotIn(float(amount), map(float, found), amount)
                self.assertTrue(all(float(other) > 0 for other in found), amount)
        self.assertNotIn("7.70", near.amounts("7.7", "CNY"))
        self.assertNotIn("0.00", near.amounts("0.05", "CNY"))

    def test_an_amount_without_decimals_has_none_among_the_near_ones(self):
        self.assertFalse([other for other in near.amounts("950", "TWD") if "." in other])
        self.assertLessEqual({"50", "95", "9500", "9050", "590", "905", "951", "150"}, set(near.amounts("950", "TWD")))

    def test_they_are_the_same_each_time(self):
        self.assertEqual(near.amounts("20105.08", "CNY"), near.amounts("20105.08", "CNY"))

    def test_the_program_prints_the_amount_and_each_near_one(self):
        with mock.patch.object(sys, "stdin", io.StringIO("31.98\n\n20105.08\n")):
            with mock.patch.object(sys, "argv", ["near.py", "--currency", "CNY"]):
                with mock.patch.object(sys, "stdout", io.StringIO()) as output:
                    near.main()
        lines = [line.split("\t") for line in output.getvalue().splitlines()]
        self.assertEqual([other for amount, other in lines if amount == "31.98"], near.amounts("31.98", "CNY"))
        self.assertEqual(
            [other for amount, other in lines if amount == "20105.08"], near.amounts("20105.08", "CNY")[: near.MOST]
        )


class NearReadings(unittest.TestCase):
    def test_signs_that_sound_alike_are_taken_for_each_other(self):
        found = near.mandarin("三百一十四元")
        self.assertLessEqual({"三千一十四元", "三百一四四元", "三百一十十元"}, set(found))
        self.assertIn("三百元", near.mandarin("三千元"))

    def test_zero_is_put_in_behind_a_place_and_left_out_wherever_it_is(self):
        self.assertLessEqual({"三百零一十四元", "三百一十零四元"}, set(near.mandarin("三百一十四元")))
        self.assertLessEqual({"二万一百零五点零八元", "二万零一百五点零八元"}, set(near.mandarin("二万零一百零五点零八元")))
        # Behind a place that another one or a zero follows there is none to put in.
        self.assertFalse([reading for reading in near.mandarin("十万零五元") if "零零" in reading or "十零万" in reading])

    def test_the_point_is_lost_in_either_script(self):
        self.assertIn("三五元", near.mandarin("三点五元"))
        self.assertIn("三五元", near.mandarin("三點五元"))
        self.assertIn("三点零五元", near.mandarin("三点五元"))

    def test_a_zero_that_leads_stays(self):
        self.assertNotIn("点五元", near.mandarin("零点五元"))


class Candidates(unittest.TestCase):
    def test_each_reading_competes_once_and_the_right_one_not_with_itself(self):
        self.assertEqual(
            near.candidates("five dollars", ["six dollars", "", "five dollars", "six dollars", "nine dollars"], "en"),
            ["six dollars", "nine dollars"],
        )

    def test_what_mandarin_mishears_comes_before_other_amounts_and_there_are_not_too_many(self):
        found = near.candidates("十四元", [f"{number}元" for number in range(100)], "zh")
        self.assertEqual(found[: len(near.mandarin("十四元"))], near.mandarin("十四元"))
        self.assertEqual(len(found), near.MOST)

    def test_other_languages_have_amounts_alone(self):
        self.assertEqual(near.candidates("十四元", ["十五元"], "en"), ["十五元"])

    def test_the_rank_counts_those_that_are_not_worse_and_the_margin_is_to_the_best(self):
        rank, margin = near.placed(-4.0, [-9.0, -6.5])
        self.assertEqual(rank, 1)
        self.assertAlmostEqual(margin, 2.5)
        rank, margin = near.placed(-4.0, [-3.0, -4.0, -5.0])
        self.assertEqual(rank, 3)
        self.assertAlmostEqual(margin, -1.0)


if __name__ == "__main__":
    unittest.main()
