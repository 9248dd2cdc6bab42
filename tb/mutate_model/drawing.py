"""Chooses random mutants of systemc/, and writes sources with all of them; COPPICE_MUTANT selects the mutant of a
process.
"""

import collections
import functools
import hashlib
import json
import pathlib
import random

import named
import sites

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "systemc"
HEADER = f'#include "{(pathlib.Path(__file__).parent / "mutant.h").resolve()}"\n'


class Mutant:
    def __init__(self, source, site, what, new, name=""):
        self.source = source.name             # below systemc/
        self.room = str(pathlib.Path(self.source).parent)
        self.site, self.what, self.new = site, what, new
        self.old = source.text[site.start:site.end]
        self.line = source.text.count("\n", 0, site.place) + 1
        self.line_text = " ".join(source.text.splitlines()[self.line - 1].split())
        self.name = name
        self.number = 0                       # within a build
        # The key depends only on the source.
        self.key = hashlib.sha256(f"{source.text}|{site.start}|{new}".encode()).hexdigest()[:16]

    def __str__(self):
        what = self.what if len(self.what) <= 110 else self.what[:80] + " ... " + self.what[-25:]
        return f"systemc/{self.source}:{self.line}: {self.name + ': ' if self.name else ''}{what}"

    def overlaps(self, other):
        return self.source == other.source and self.site.start < other.site.end and other.site.start < self.site.end

    def same(self, other):
        return (self.source, self.site.start, self.new) == (other.source, other.site.start, other.new)


class Source(sites.Source):
    def __init__(self, path):
        super().__init__(path.read_text())
        self.name = str(path.relative_to(MODEL))
        self.lines = self.text.count("\n")
        self.by_kind = collections.defaultdict(list)
        for site in self.sites():
            self.by_kind[site.kind].append(site)


@functools.cache
def all_sources():
    """The sources of systemc/, by name."""
    return {source.name: source for source in (Source(path) for path in sorted(MODEL.rglob("*.cpp")))}


class Drawing:
    """Chooses mutants from every folder ("room") of systemc/ in proportion to its lines: first a file, in proportion
    to its lines, and then, each with equal probability, a kind of change, a position and a change. The mutants of a
    seed depend only on the sources. WRONG: a file with the mutants that do not compile. ONLY: only these libraries;
    empty: all.
    """

    def __init__(self, seed, wrong=None, only=()):
        self.only = only
        self.wrong_file = wrong
        self.wrong = set(json.loads(wrong.read_text())) if wrong and wrong.exists() else set()
        self.rooms = collections.defaultdict(list)
        self.sources = all_sources()
        for source in self.sources.values():
            if source.by_kind and self.has(source.name):
                self.rooms[str(pathlib.Path(source.name).parent)].append(source)
        self.random = {room: random.Random(f"{seed}|{room}") for room in self.rooms}
        self.lines = {room: sum(source.lines for source in held) for room, held in self.rooms.items()}
        self.drawn = []
        self.of_room = collections.Counter()

    def has(self, source):
        return not self.only or source.split("/")[0] in self.only

    def named(self):
        found = []
        for name, file, old, new in named.MUTANTS:
            if not self.has(file):
                continue
            source = self.sources[file]
            if source.text.count(old) != 1:
                raise SystemExit(f"named.py: '{old}' is {source.text.count(old)} times in {file}: '{name}' is out of date")
            start = source.text.index(old)
            site = sites.Site("removal" if not new else "named", start, start + len(old), start, [])
            found.append(Mutant(source, site, f"'{old}' becomes '{new}'", new, name))
        self.drawn += found
        return found

    def draw(self, count):
        """Chooses COUNT more mutants, in proportion to the shares of the rooms."""
        total = sum(self.lines.values())
        found = []
        for _ in range(count):
            drawn = sum(self.of_room.values()) + 1
            room = max(self.lines, key=lambda r: self.lines[r] / total * drawn - self.of_room[r])
            self.of_room[room] += 1
            found.append(self.again(room))
        return found

    def again(self, room):
        """Chooses another mutant from a room."""
        held, chance = self.rooms[room], self.random[room]
        while True:
            source = chance.choices(held, [s.lines for s in held])[0]
            site = chance.choice(source.by_kind[chance.choice(sorted(source.by_kind))])
            mutant = Mutant(source, site, *chance.choice(site.mutants))
            # Sites in a source must not overlap, and a long site would exclude many others.
            if len(mutant.old) < 2000 and mutant.key not in self.wrong and not any(mutant.overlaps(m) for m in self.drawn):
                self.drawn.append(mutant)
                return mutant


    def drop(self, wrong):
        """Removes mutants that do not compile, now and in later runs."""
        self.drawn = [mutant for mutant in self.drawn if mutant not in wrong]
        self.wrong |= {mutant.key for mutant in wrong}
        self.wrong_file.write_text(json.dumps(sorted(self.wrong)))


def with_mutants(text, mutants):
    """Returns the text of a source with all its mutants, and the lines of each; COPPICE_MUTANT selects one."""
    out, at, places = HEADER, 0, {}
    for mutant in sorted(mutants, key=lambda m: m.site.start):
        out += text[at:mutant.site.start]
        first = out.count("\n") + 1
        out += sites.expression(mutant.site, mutant.new, mutant.old, mutant.number)
        places[mutant] = range(first, out.count("\n") + 2)
        at = mutant.site.end
    return out + text[at:], places


def mutated(text, mutant):
    """Returns the text of a source with a single mutant."""
    return text[:mutant.site.start] + mutant.new + text[mutant.site.end:]
