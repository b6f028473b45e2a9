"""What a recogniser wrote, and what a voice was to say, as lists of words that can be compared."""

import re
import unicodedata

DIGITS = "零一二三四五六七八九"


def mandarin_number(digits, leads=True):
    """A number in digits as Mandarin reads it; one that does not lead follows the first half of a number."""
    whole, _, decimals = digits.partition(".")
    words = mandarin_whole(int(whole or "0"), leads)
    return words + ("点" + one_by_one(decimals) if decimals else "")


def one_by_one(digits):
    return "".join(DIGITS[int(digit)] for digit in digits)


def mandarin_whole(number, leads=True):
    if number == 0:
        return DIGITS[0]
    words = ""
    for value, place in ((10**8, "亿"), (10**4, "万"), (1, "")):
        group, number = divmod(number, value)
        if group:
            # A gap before the group is told once.
            words += ("零" if words and group < 1000 else "") + mandarin_group(group, leads=leads and not words) + place
    return words


def mandarin_group(number, leads):
    words, gap = "", False
    for value, place in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // value % 10
        if not digit:
            gap = bool(words)
            continue
        # Ten at the very beginning is 十, elsewhere 一十.
        words += ("零" if gap else "") + ("" if value == 10 and digit == 1 and leads and not words else DIGITS[digit]) + place
        gap = False
    return words


def chinese(text):
    """Syllables without their tones. Digits become words first, and 两 is 二: they are the same number."""
    from pypinyin import lazy_pinyin

    text = re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("萬", "万")
    # The recogniser changes its mind in the middle of a number: 600-19.12, 八百13.5, 八百三十一.49, 30点5.
    text = re.sub(r"(\d+?)(0+)-(\d+)", two_halves, text)
    text = re.sub(f"(?<=[{DIGITS}十百千万亿])\\.(?=\\d)", "点", text)
    text = re.sub(r"(?<=点)\d+", lambda number: one_by_one(number.group()), text)
    # 8千066 is 八千零六十六, where as many digits follow as the place leaves room for.
    text = re.sub(r"(?:(?<=百)(?=\d{2}(?!\d))|(?<=千)(?=\d{3}(?!\d))|(?<=万)(?=\d{4}(?!\d)))0+(?=[1-9])", "零", text)
    text = re.sub(
        r"([百千万亿零]?)(\d{1,16}(?:\.\d+)?)", lambda number: number[1] + mandarin_number(number[2], not number[1]), text
    )
    text = re.sub("[两兩]", "二", text)
    return lazy_pinyin(re.sub(r"[^\u3400-\u9fff]", "", text))


def two_halves(number):
    """600-19 is 619 and 500-02 is 502, where the second half fits."""
    first, room, second = number.groups()
    fits = len(second) == len(room) if second[0] == "0" else len(second) <= len(room)
    return first + second.rjust(len(room), "0") if fits else number[0]


def spaced(text):
    """Words in small letters. Joining words say nothing about an amount."""
    text = unicodedata.normalize("NFC", text).casefold().replace("-", " ")
    letters = (letter if unicodedata.category(letter)[0] in "LMN" else " " if letter.isspace() else "" for letter in text)
    return [word for word in "".join(letters).split() if word != "and"]


# Written otherwise and said alike: which one the recogniser writes tells nothing of what it heard.
HOMOPHONES = {
    "sense": "cents", "scents": "cents", "sent": "cent", "scent": "cent", "to": "two", "too": "two", "for": "four",
    "fore": "four", "ate": "eight", "won": "one",
}  # fmt: skip


def english(text):
    """Words as in `spaced`, those that are said alike as one."""
    return [HOMOPHONES.get(word, word) for word in spaced(text)]


GERMAN_NUMERALS = re.compile(
    "dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|zwanzig|sechzehn|siebzehn|millionen|million|tausend|hundert"
    "|null|eins|eine|ein|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|und"
)


def german(text):
    """Words as in `spaced`, and each part of a numeral: whether it is written as one word says nothing about it."""
    words = []
    for word in spaced(text):
        parts = GERMAN_NUMERALS.findall(word)
        words += parts if "".join(parts) == word else [word]
    return [word for word in words if word != "und"]


def unspaced(text):
    """Letters, with the marks that belong to them."""
    text = unicodedata.normalize("NFC", text)
    return [letter for letter in text if unicodedata.category(letter)[0] in "LM"]


def alignment(wanted, heard):
    """The cheapest way from one to the other: pairs of a word and what was heard for it, `None` for nothing."""
    cost = [list(range(len(heard) + 1))]
    for row, word in enumerate(wanted, 1):
        line = [row]
        for column, other in enumerate(heard, 1):
            line.append(min(cost[-1][column - 1] + (word != other), cost[-1][column] + 1, line[-1] + 1))
        cost.append(line)
    pairs = []
    row, column = len(wanted), len(heard)
    while row or column:
        here = cost[row][column]
        if row and column and here == cost[row - 1][column - 1] + (wanted[row - 1] != heard[column - 1]):
            row, column = row - 1, column - 1
            pairs.append((wanted[row], heard[column]))
        elif row and here == cost[row - 1][column] + 1:
            row -= 1
            pairs.append((wanted[row], None))
        else:
            column -= 1
            pairs.append((None, heard[column]))
    return pairs[::-1]
