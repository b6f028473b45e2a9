"""The amounts that the ear listens to: drawn anew for each run, as many in each range, from a seed.

usage: draw.py --currency CODE --seed SEED --count COUNT [--hint]
       draw.py --integers < amounts

COUNT is for each range; --hint draws one more, and writes it first. Amounts of the files in `amounts` are left out:
recordings were chosen by them, so a voice says them better than others. --integers writes the whole part of each
amount of at least one.
"""

import argparse
import math
import os
import random
import sys

RANGES = (10, 100, 1_000, 10_000, 100_000)
# What an amount is a multiple of where it has no decimals. The ranges count these.
MULTIPLES = {"IDR": 500, "KRW": 100, "TWD": 1, "VND": 1000}
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "amounts")


def amounts_used(currency):
    """Those that recordings were chosen by."""
    with open(os.path.join(FOLDER, f"{currency if currency in MULTIPLES else 'two-decimals'}.txt")) as file:
        return {line.strip() for line in file}


def drawn(currency, seed, count, hint=False):
    """`count` amounts from each range in turn, no two alike; fewer where a range has no more."""
    used = amounts_used(currency)
    amounts = []
    for low, high in zip((0, *RANGES), RANGES):
        if currency in MULTIPLES:
            numbers, text = range(max(1, low), high), lambda number: str(number * MULTIPLES[currency])
        else:
            numbers, text = range(max(1, low * 100), high * 100), lambda cents: f"{cents // 100}.{cents % 100:02}"
        # More than are wanted, since some are left out; as many each time, or a seed would give others.
        shuffled = map(text, random.Random(f"{seed}/{high}").sample(numbers, min(len(numbers), max(300, 2 * count))))
        amounts.append([amount for amount in shuffled if amount not in used][: count + hint])
    extra = [amounts[RANGES.index(1_000)].pop()] if hint else []
    return extra + [amount for range_ in amounts for amount in range_[:count]]


def range_of(amount, currency):
    """The end of the range that an amount lies in; infinite for one above them all."""
    units = float(amount) / MULTIPLES.get(currency, 1)
    return next((end for end in RANGES if units < end), math.inf)


def range_name(end, currency):
    return "above" if end == math.inf else f"below {end * MULTIPLES.get(currency, 1):,}"


def interval(right, count):
    """Between which shares the true one lies, with 95 % certainty (Wilson)."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    reach = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, (middle - reach) / (1 + z * z / count)), min(1.0, (middle + reach) / (1 + z * z / count))


def main():
    parser = argparse.ArgumentParser(description="Draws amounts for the ear.")
    parser.add_argument("--currency")
    parser.add_argument("--seed")
    parser.add_argument("--count", type=int)
    parser.add_argument("--hint", action="store_true")
    parser.add_argument("--integers", action="store_true")
    arguments = parser.parse_args()
    if arguments.integers:
        whole = (line.strip().partition(".")[0] for line in sys.stdin)
        print("\n".join(dict.fromkeys(number for number in whole if int(number))))
    else:
        print("\n".join(drawn(arguments.currency, arguments.seed, arguments.count, arguments.hint)))


if __name__ == "__main__":
    main()
