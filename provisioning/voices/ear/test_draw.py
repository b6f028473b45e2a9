"""What the ear listens to, without the recogniser: python3 -m unittest discover provisioning/voices/ear"""

import math
import unittest

import draw
import whole


class Amounts(unittest.TestCase):
    def test_a_seed_gives_the_same_amounts_each_time_and_another_seed_others(self):
        self.assertEqual(draw.drawn("CNY", "5", 20), draw.drawn("CNY", "5", 20))
        self.assertNotEqual(draw.drawn("CNY", "5", 20), draw.drawn("CNY", "6", 20))

    def test_each_range_gives_as_many_and_none_that_recordings_were_chosen_by(self):
        for currency in ("CNY", "TWD", "KRW", "VND", "IDR"):
            amounts = draw.drawn(currency, "1", 20)
            ranges = [draw.range_of(amount, currency) for amount in amounts]
            # Without decimals only nine amounts are below ten.
            used = {amount for amount in draw.amounts_used(currency) if draw.range_of(amount, currency) == 10}
            counts = [20 if currency == "CNY" else 9 - len(used), 20, 20, 20, 20]
            self.assertEqual(ranges, [end for end, count in zip(draw.RANGES, counts) for _ in range(count)], currency)
            self.assertEqual(len(set(amounts)), len(amounts), currency)
            self.assertFalse(set(amounts) & draw.amounts_used(currency), currency)
            self.assertTrue(all(float(amount) > 0 for amount in amounts))

    def test_a_range_with_too_few_amounts_gives_all_of_them(self):
        below = [amount for amount in draw.drawn("TWD", "1", 99) if int(amount) < 100]
        self.assertEqual(set(below), {str(number) for number in range(1, 100)} - draw.amounts_used("TWD"))

    def test_the_amount_that_is_shown_is_one_more_and_not_judged(self):
        amounts = draw.drawn("CNY", "1", 3, hint=True)
        self.assertEqual(len(amounts), 16)
        # Where an amount has the words of most others.
        self.assertEqual(draw.range_of(amounts[0], "CNY"), 1_000)
        self.assertNotIn(amounts[0], amounts[1:])

    def test_the_end_of_a_range_belongs_to_the_next(self):
        ends = {"0.01": 10, "9.99": 10, "10.00": 100, "99.99": 100, "100.00": 1_000, "9999.99": 10_000}
        ends |= {"10000.00": 100_000, "100000.00": math.inf}
        self.assertEqual({amount: draw.range_of(amount, "CNY") for amount in ends}, ends)
        self.assertEqual(draw.range_of("99000", "VND"), 100)
        self.assertEqual(draw.range_name(100, "VND"), "below 100,000")

    def test_the_interval_is_wilsons(self):
        for (right, count), expected in {(13, 40): (0.201, 0.480), (0, 10): (0, 0.278), (40, 40): (0.912, 1)}.items():
            for value, bound in zip(draw.interval(right, count), expected):
                self.assertAlmostEqual(value, bound, 3)


class WholeIntegers(unittest.TestCase):
    @staticmethod
    def segments(*texts):
        return [{"text": text, "file": f"{text}.opus"} if text else {"pause_ms": 160} for text in texts]

    def joined(self, texts, reading, of_integer):
        found = whole.joined_integer(self.segments(*texts), reading, of_integer)
        return found and ([segment["text"] for segment in found[0]], found[1])

    def test_the_recordings_before_the_decimals_are_the_integer(self):
        self.assertEqual(
            self.joined(["收款到账", "", "八万", "八百", "点八元"], "八万八百点八元", "八万八百元"), (["八万", "八百"], "八万八百")
        )
        self.assertEqual(
            self.joined(
                ["Payment received", "", "one thousand", "two", "dollars and", "six cents"],
                "one thousand two dollars and six cents",
                "one thousand two dollars",
            ),
            (["one thousand", "two"], "one thousand two"),
        )

    def test_a_unit_that_follows_the_integer_belongs_to_it(self):
        self.assertEqual(self.joined(["入帳", "", "八萬", "八元"], "八萬八元", "八萬八元"), (["八萬", "八元"], "八萬八元"))

    def test_an_integer_in_one_recording_has_no_join(self):
        self.assertIsNone(self.joined(["收款到账", "", "八", "点八元"], "八点八元", "八元"))


if __name__ == "__main__":
    unittest.main()
