"""Chooses mutants of rtl/ and writes Verilog with all of them; the macro MUTANT selects one."""

import hashlib
import math
import pathlib
import random

import known
import verilog

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
# A Verilated model reads the number of its mutant at run time; other tools are given -DMUTANT=NUMBER.
HEADER = '`ifdef VERILATOR\n`define MUTANT $c32("coppice_mutant")\n`endif\n'


class Mutant:
    def __init__(self, source, site, what, new, text):
        self.source = source      # below rtl/
        self.site = site
        self.what = what
        self.new = new
        self.old = " ".join(text[site.start:site.end].split())
        self.line = " ".join(text.splitlines()[site.line - 1].split())
        # The key of stored results. It depends only on the file, not on the other mutants that are chosen.
        self.key = hashlib.sha256(f"{text}|{site.start}|{what}".encode()).hexdigest()[:16]
        self.number = 1 + int(self.key[:7], 16)

    def __str__(self):
        old = self.old if len(self.old) <= 70 else self.old[:67] + "..."
        return f"{self.source}:{self.site.line}: {old}: {self.what}"


def sources():
    return sorted(str(path.relative_to(RTL)) for path in RTL.rglob("*.v"))


def all_of(source):
    text = (RTL / source).read_text()
    return [Mutant(source, site, what, new, text) for site in verilog.sites_of(text) for what, new in site.mutants]


def difference(old, new):
    """The lengths of the prefix and the suffix that two strings have in common."""
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    return begin, end


def known_mutants():
    """Returns the mutants in known.py as mutants of the expressions that they change."""
    found = []
    for name, source, old, new in known.MUTANTS:
        text = (RTL / source).read_text()
        if text.count(old) != 1:
            raise SystemExit(f"known.py: '{old}' is {text.count(old)} times in {source}: '{name}' is out of date")
        begin, end = difference(old, new)
        start = text.index(old)
        changed, after = start + begin, start + len(old) - end
        sites = [site for site in verilog.sites_of(text) if site.start <= changed and after <= site.end]
        if not sites:
            raise SystemExit(f"known.py: '{old}' in {source} is not changed within one expression: '{name}'")
        site = min(sites, key=lambda s: s.end - s.start)
        found.append(Mutant(source, site, name, text[site.start:changed] + new[begin:len(new) - end] + text[after:site.end], text))
    return found


def draw(count, seed):
    """Returns the known mutants and then COUNT random ones. The share of a file grows with the square root of its
    number of mutants."""
    mutants = known_mutants()
    offers = {source: all_of(source) for source in sources()}
    taken = {(m.source, m.site.start, m.new) for m in mutants}
    weights = {source: math.sqrt(len(offer)) for source, offer in offers.items()}
    total = sum(weights.values())
    drawn = []
    for source, offer in offers.items():
        generator = random.Random(f"{seed}|{source}")
        generator.shuffle(offer)
        offer = [m for m in offer if (m.source, m.site.start, m.new) not in taken]
        drawn += [(index / weights[source], m) for index, m in enumerate(offer[:math.ceil(weights[source] / total * count) + 1])]
    # The first mutants of all files come first, then the second ones, so that a small sample covers many files.
    drawn.sort(key=lambda pair: (pair[0], pair[1].source))
    mutants += [m for _, m in drawn[:count]]
    if len({mutant.number for mutant in mutants}) != len(mutants):
        raise SystemExit("two mutants have the same number: draw with another seed")
    return mutants


def with_mutants(text, mutants):
    """Returns the text of a file with all its mutants; MUTANT selects one."""
    by_site = {}
    for mutant in mutants:
        by_site.setdefault((mutant.site.start, mutant.site.end), []).append(mutant)
    for (start, end), group in sorted(by_site.items(), reverse=True):
        choice = "".join(f"`MUTANT == {m.number} ? ({m.new}) : " for m in group)
        text = text[:start] + f"({choice}({text[start:end]}))" + text[end:]
    return HEADER + text


def write(mutants, folder):
    """Writes rtl/ with MUTANTS to FOLDER; unchanged files are not written."""
    for path in sorted(RTL.rglob("*.v*")):
        source = str(path.relative_to(RTL))
        text = with_mutants(path.read_text(), [m for m in mutants if m.source == source]) if path.suffix == ".v" else path.read_text()
        target = folder / source
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
