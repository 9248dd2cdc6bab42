"""Sizes in the configuration's syntax, such as "32 KiB"."""

import re

FACTORS = {"B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30, "KB": 10 ** 3, "MB": 10 ** 6, "GB": 10 ** 9}
SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(B|[KMG]i?B)")


def number(text):
    """The number of bytes of a size, or the value of a plain number; None for any other string."""
    if match := SIZE.fullmatch(str(text)):
        return float(match[1]) * FACTORS[match[2]]
    try:
        return float(text)
    except ValueError:
        return None


def size_label(count):
    """The shortest form of a number of bytes in binary units."""
    for unit in ("GiB", "MiB", "KiB"):
        if count >= FACTORS[unit]:
            return f"{count / FACTORS[unit]:g} {unit}"
    return f"{count:g} B"
