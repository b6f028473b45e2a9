"""Near misses of an amount, and how clearly a recogniser tells it apart from them.

usage: near.py --currency CODE < amounts

Prints a line for each near amount: the amount, a tab, the near one. Their readings are the voice's own
(`soundbox say`). Mandarin gets more near misses: readings that no amount has, such as one with a 零 too many.
"""

import argparse
import itertools
import random
import sys

import draw

# As many readings as one amount is compared with.
MOST = 60
# Pairs of signs that sound alike, or that a listener takes for each other.
ALIKE = (("十", "四"), ("千", "百"))
POINTS = "点點"
PLACES = "万萬千百十"


def amounts(amount, currency):
    """Amounts near this one: first those with digits lost, put in or exchanged, then those with one digit changed."""
    decimals = 0 if currency in draw.MULTIPLES else 2
    whole, _, fraction = amount.partition(".")
    digits, point = whole + fraction, len(whole)

    def spelt(digits, point):
        whole = str(int(digits[:point] or "0"))
        return f"{whole}.{digits[point:][:decimals].ljust(decimals, '0')}" if decimals else whole

    found = []
    for place in range(len(digits)):
        found.append(spelt(digits[:place] + digits[place + 1 :], point - (place < point)))
    for place in range(1, point + 1):
        found.append(spelt(digits[:place] + "0" + digits[place:], point + 1))
    if decimals:
        found += [spelt(digits[:point] + "0" + digits[point:], point), spelt(whole, point), spelt(digits, len(digits))]
    for place in range(len(digits) - 1):
        exchanged = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
        found.append(spelt(exchanged, point))
    changed = [
        spelt(digits[:place] + digit + digits[place + 1 :], point)
        for place in range(len(digits))
        # A zero in front is a digit lost.
        for digit in ("0123456789" if place or point == 1 else "123456789")
    ]
    # Which ones are left out where there are too many must not depend on their order.
    random.Random(amount).shuffle(changed)
    same = spelt(digits, point)
    return [near for near in dict.fromkeys(found + changed) if near != same and float(near) > 0]


def mandarin(reading):
    """Readings that differ by a sign which is easily misheard, put in or left out; not all are those of an amount."""
    found = []
    for place, sign in enumerate(reading):
        before, behind = reading[:place], reading[place + 1 :]
        found += [before + other + behind for pair in ALIKE if sign in pair for other in pair if other != sign]
        if sign in "零" + POINTS and before:
            found.append(before + behind)
        if sign in PLACES + POINTS and behind and behind[0] not in "零" + PLACES + POINTS:
            found.append(before + sign + "零" + behind)
    return [near for near in dict.fromkeys(found) if near != reading]


def candidates(reading, near, language):
    """The readings that compete with the right one: at most `MOST`, no two alike."""
    found = (mandarin(reading) if language == "zh" else []) + near
    return [other for other in dict.fromkeys(found) if other and other != reading][:MOST]


def placed(right, others):
    """The rank of the right reading's score among the others', and its margin to the best of them."""
    return 1 + sum(score >= right for score in others), right - max(others)


def main():
    parser = argparse.ArgumentParser(description="Prints amounts near those on standard input.")
    parser.add_argument("--currency", required=True)
    currency = parser.parse_args().currency
    for amount in filter(None, map(str.strip, sys.stdin)):
        for near in itertools.islice(amounts(amount, currency), MOST):
            print(f"{amount}\t{near}")


if __name__ == "__main__":
    main()
