"""Finds code to mutate in a C++ source: operators, conditions, constants and statements in function bodies.

A lexer that matches brackets is enough: in sources formatted by clang-format, binary operators have spaces around them,
and brackets of templates do not. A mutant at a wrong site does not compile, and another one replaces it.
"""

import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eE][+-]?|[\w.]|'(?=\w))*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark_>\.\.\.|<=>|<<=|>>=|->\*|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)

CLOSING = {"(": ")", "[": "]", "{": "}"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
LOGICAL = {"&&", "||"}
# These tokens end an expression that a ternary operator may replace.
ENDS = ASSIGNMENTS | LOGICAL | {",", ";", "?", ":", "return", "co_return", "throw", "case", "default", "else", "do", "new", "delete"}
OPERATORS = {
    "comparison": {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",)},
    "arithmetic": {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",)},
    "boolean": {"&&": ("||",), "||": ("&&",)},
}
EXTREMES = {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element"}
STEPS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
# Statements that begin with these tokens are not mutated: declarations of constants, and statements that throw or
# report.
FIXED = {"constexpr", "static", "static_assert", "using", "throw", "case", "default", "template", "struct", "class", "enum"}
REPORTS = {"throw", "ConfigError", "ModelError", "refuse"}
# These calls only affect speed.
HINTS = {"reserve", "shrink_to_fit", "prefetch", "__builtin_prefetch"}


class Token:
    __slots__ = ("kind", "text", "start", "end")

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Site:
    """A range [start, end) of the text, and the texts that mutants have in its place."""

    def __init__(self, kind, start, end, place, mutants):
        self.kind = kind          # comparison, arithmetic, boolean, condition, constant, removal, extreme
        self.start, self.end = start, end
        self.place = place        # position of the change
        self.mutants = mutants    # (description, new text) for each mutant


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "text"
        if kind not in ("skip", "directive"):
            found.append(Token(kind, match[0], match.start()))
    return found


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner, self.inside = self._match()
        self.blocks = {i for i, token in enumerate(self.tokens) if token.text == "{" and self._is_block(i)}
        self.bodies = self._bodies()

    def _match(self):
        partner, inside, open_ = {}, [], []
        for i, token in enumerate(self.tokens):
            inside.append(open_[-1] if open_ else -1)
            if token.kind == "text":
                continue
            if token.text in CLOSING:
                open_.append(i)
            elif token.text in CLOSING.values() and open_:
                partner[i] = open_.pop()
                partner[partner[i]] = i
                inside[i] = open_[-1] if open_ else -1
        return partner, inside

    def _word(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _spaced(self, i):
        """Whether there is a space on both sides of a token."""
        token = self.tokens[i]
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def _is_block(self, i):
        """Whether a brace contains statements, not initial values."""
        if i == 0:
            return True
        if self._word(i - 1) in {"(", ",", "=", "return", "{"} and not (self._word(i - 1) == "{" and i - 1 in getattr(self, "blocks", ())):
            return self._word(i - 1) == "{" and self._is_block(i - 1)
        return self.text[self.tokens[i].start - 1].isspace()

    def _bodies(self):
        """The braces of function bodies that are not inside another function."""
        bodies, i = [], 0
        begin = 0  # start of the declaration
        while i < len(self.tokens):
            word = self._word(i)
            if word in (";", "}"):
                begin = i + 1
            elif word == "{" and i in self.partner:
                head = self.tokens[begin:i]
                words = {token.text for token in head}
                if words & {"namespace", "extern"} or (words & {"struct", "class", "union"} and "(" not in words):
                    begin = i + 1
                elif i not in self.blocks:  # the initial value of a member or constant
                    i = self.partner[i]
                elif "enum" in words or "=" in words - {"operator"} and "operator" not in words or "(" not in words:
                    i = self.partner[i]
                    begin = i + 1
                else:
                    if not words & {"constexpr", "consteval"}:
                        bodies.append((i, self.partner[i]))
                    i = self.partner[i]
                    begin = i + 1
            elif word in ("(", "[") and i in self.partner:
                i = self.partner[i]
            i += 1
        return bodies

    def _ends(self, i, ends, left):
        """Whether token I ends an expression: on its left side if LEFT, otherwise on its right side."""
        word = self._word(i)
        if self.tokens[i].kind == "text":
            return False
        if word in ends:
            return True
        if not left:
            return word in CLOSING.values()
        if word == "}":
            return self.partner[i] in self.blocks
        if word == ")":
            before = self._word(self.partner[i] - 1)
            return before in {"if", "while", "for", "switch", "catch"} or before == "constexpr"
        return word in CLOSING

    def extent(self, i, ends=frozenset(ENDS)):
        """The tokens [first, last] of the expression around token I that ENDS bound."""
        first = i
        while first > 0 and not self._ends(first - 1, ends, left=True):
            first -= 1
            if self._word(first) in CLOSING.values() and self.tokens[first].kind != "text":
                first = self.partner[first]
        last = i
        while last + 1 < len(self.tokens) and not self._ends(last + 1, ends, left=False):
            last += 1
            if self._word(last) in CLOSING and self.tokens[last].kind != "text":
                last = self.partner[last]
        return first, last

    def statement(self, i):
        """The first token of the statement with token I; lambdas inside it are ignored."""
        while i > 0 and not (self._word(i - 1) in {";", "{", "}"} and self.inside[i] in self.blocks):
            i -= 1
        return i

    def _replaced(self, kind, first, last, i, what, new):
        """A site with tokens FIRST to LAST, in which token I becomes each of NEW."""
        start, end = self.tokens[first].start, self.tokens[last].end
        token = self.tokens[i]
        before, after = self.text[start:token.start], self.text[token.end:end]
        return Site(kind, start, end, token.start, [(what(one), f"{before}{one}{after}") for one in new])

    def sites(self):
        return [site for first, last in self.bodies for site in self._sites_between(first, last)]

    def _sites_between(self, first, last):
        for i in range(first + 1, last):
            begin = self.statement(i)
            if i == begin or self._follows_control(i):
                removal = self._removal(i)
                if removal:
                    yield removal
            if self.tokens[i].kind == "text" or self._word(begin) in FIXED:
                continue
            if not self._reports(begin, i) and not self._hints(i):
                yield from self._at(i)

    def _follows_control(self, i):
        """Whether token I begins the statement of an if, loop or else without braces."""
        before = self._word(i - 1)
        return before == "else" or (before == ")" and self._word(self.partner[i - 1] - 1) in {"if", "for", "while"})

    def _hints(self, i):
        """Whether token I is in the argument of a hint."""
        while i >= 0:
            i = self.inside[i]
            if i > 0 and self._word(i - 1) in HINTS:
                return True
        return False

    def _reports(self, begin, i):
        """Whether token I is in a statement that throws or refuses."""
        return any(self._word(k) in REPORTS for k in range(begin, i))

    def _at(self, i):
        word = self._word(i)
        becomes = lambda new: f"'{word}' becomes '{new}'"  # noqa: E731
        for kind, operators in OPERATORS.items():
            if word in operators and self._spaced(i) and not self._beside_text(i):
                first, last = self.extent(i, frozenset(ENDS - LOGICAL) if kind == "boolean" else frozenset(ENDS))
                if first < i < last:
                    yield self._replaced(kind, first, last, i, becomes, operators[word])
        if word in STEPS and self._spaced(i):
            first, last = self.extent(i, frozenset(ENDS - {word} - LOGICAL - {"?", ":"}))
            if first < i < last and not self._beside_text(i):
                yield self._replaced("arithmetic", first, last, i, becomes, [STEPS[word]])
        if word in EXTREMES and self._word(i - 1) == "::" and self._word(i - 2) in {"std", "ranges"}:
            first, last = self.extent(i)
            yield self._replaced("extreme", first, last, i, becomes, [EXTREMES[word]])
        if self.tokens[i].kind == "number":
            yield from self._constant(i, becomes)
        if word in {"if", "while"} and self._word(i + 1) == "(":
            yield from self._condition(i + 2, self.partner[i + 1] - 1)
        if word == "?":
            first, last = self.extent(i, frozenset(ENDS - LOGICAL - {"?"}))
            if first < i:
                yield from self._condition(first, i - 1)

    def _beside_text(self, i):
        return "text" in (self.tokens[i - 1].kind, self.tokens[i + 1].kind)

    def _constant(self, i, becomes):
        match = re.fullmatch(r"(\d+(?:'\d+)*)((?:\.\d*)?)([uUlLfF]*)", self._word(i))
        if not match or self._word(i - 1) in {"<", "case"}:
            return
        value = int(match[1].replace("'", ""))
        new = [f"{other}{match[2]}{match[3]}" for other in (value + 1, value - 1) if other >= 0]
        yield self._replaced("constant", i, i, i, becomes, new)

    def _condition(self, first, last):
        words = [self._word(k) for k in range(first, last + 1) if self.inside[k] == self.inside[first]]
        if ";" in words or ASSIGNMENTS & set(words):
            return  # a declaration is inside
        start, end = self.tokens[first].start, self.tokens[last].end
        text = self.text[start:end]
        yield Site("condition", start, end, start, [(f"'{' '.join(text.split())}' is negated", f"!({text})")])

    def _removal(self, i):
        """A site that removes a statement, which is a call, an assignment, an increment or a decrement."""
        k = i + 1 if self._word(i) in {"++", "--"} else i
        if self.tokens[k].kind != "word" or self._word(k) in ENDS | FIXED | {"if", "for", "while", "switch", "break", "continue", "goto"}:
            return None
        name = self._word(k)
        while True:
            following = self._word(k + 1)
            if following in {"::", ".", "->"}:
                k += 2
                name = self._word(k)
            elif following in {"(", "["}:
                k = self.partner[k + 1]
            else:
                break
        if following in ASSIGNMENTS:
            _, last = self.extent(k + 2, frozenset({";"}))
        elif following == ";" and (self._word(k) == ")" or self._word(i) in {"++", "--"}):
            last = k
        else:
            return None
        if name in HINTS or self._word(last + 1) != ";":
            return None
        start, end = self.tokens[i].start, self.tokens[last].end
        return Site("removal", start, end, start, [(f"'{' '.join(self.text[start:end].split())}' is left out", "")])


def expression(site, new, old, number):
    """The text in place of a site: NEW if the process has mutant NUMBER, otherwise OLD."""
    if site.kind == "removal":
        return f"(coppice_mutant({number}) ? void() : void({old}))"
    if site.kind == "condition":
        return f"(coppice_mutant({number}) ? {new} : static_cast<bool>({old}))"
    return f"(coppice_mutant({number}) ? ({new}) : ({old}))"
