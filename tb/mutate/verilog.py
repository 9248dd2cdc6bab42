"""Finds expressions to mutate in a Verilog-2005 file in the style of rtl/: right sides, conditions, tied inputs.

A site is an expression in the source; a mutant is an expression in its place. The grammar has what rtl/ uses:
declarations with a value, assign, always, function, if, for, case, instances with named ports.
"""

import re

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|`\w+|"[^"]*"|\d*'s?[bdhoBDHO][0-9a-fA-FxXzZ_?]+|\d[\d_]*|[A-Za-z_$][\w$]*
                       |<<<|>>>|===|!==|&&|\|\||==|!=|<=|>=|<<|>>|\+:|-:|~&|~\||~\^|\*\*|.""", re.VERBOSE | re.DOTALL)
SWAPPED = {"+": ["-"], "-": ["+"], "==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="],
           ">=": [">", "<"], "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
           "?": ["|| 1'b1 ?", "&& 1'b0 ?"]}
SWAPPED_UNARY = {"!": [""], "~": [""], "|": ["&"], "&": ["|"], "~|": ["|"], "~&": ["&"], "-": [""], "^": ["|"]}
OPENING, CLOSING = "([{", ")]}"
ZERO = re.compile(r"\d+'[bdh]0+|\{[^{}]+\{1'b0\}\}")
NET = ("wire", "reg", "integer")


class Token:
    def __init__(self, text, start):
        self.text, self.start, self.end = text, start, start + len(text)


class Site:
    """An expression, [start, end) of the file's text, and its replacements."""

    def __init__(self, start, end, line):
        self.start, self.end, self.line = start, end, line
        self.mutants = []   # (description, new text)


def tokens_of(text):
    """Returns the tokens of the hardware; code for Verilator only is left out."""
    found = [Token(match[0], match.start()) for match in TOKEN.finditer(text)]
    found = [token for token in found if not token.text.isspace() and not token.text.startswith(("//", "/*"))]
    kept, left_out = [], False
    for index, token in enumerate(found):
        if token.text == "`ifdef":
            if found[index + 1].text != "VERILATOR":
                raise ValueError(f"`ifdef {found[index + 1].text}: only `ifdef VERILATOR is supported")
            left_out = True
        elif token.text in ("`else", "`endif"):
            left_out = False
        elif not left_out:
            kept.append(token)
    return kept


def is_constant(token):
    """Whether a token is an unsized number, a parameter or a loop variable, and therefore part of a width or an
    index."""
    return token.text.isdigit() or re.fullmatch(r"[A-Z][A-Z0-9_]*|[a-z]", token.text) is not None


def is_operand_end(token):
    return token.text in CLOSING or re.match(r"[\w'$]", token.text) is not None


class Parser:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.at = 0
        self.sites = []
        self.widths = {}   # name -> width, as a string

    def sites_of(self):
        while self.at < len(self.tokens):
            self.item()
        for site in self.sites:
            old = self.text[site.start:site.end]
            site.mutants = [(what, new) for what, new in site.mutants if new != old]
        return [site for site in self.sites if site.mutants]

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def skip_to(self, *ends):
        """Skips the tokens up to and including the next of ENDS outside brackets; returns those before it."""
        begin, depth = self.at, 0
        while depth > 0 or self.peek() not in ends:
            depth += (self.peek() in OPENING) - (self.peek() in CLOSING)
            self.at += 1
        self.at += 1
        return self.tokens[begin:self.at - 1]

    def bracket(self):
        """Skips the bracket that opens here; returns its contents."""
        self.at += 1
        return self.skip_to(self.closing(self.tokens[self.at - 1].text))

    @staticmethod
    def closing(opening):
        return CLOSING[OPENING.index(opening)]

    def item(self):
        word = self.peek()
        if word == "`default_nettype":
            self.at += 2
        elif word in ("module", "localparam", "parameter", "genvar", "input", "output"):
            if word == "module":
                self.ports()
            else:
                self.skip_to(";")
        elif word in NET:
            self.declaration()
        elif word == "assign":
            self.at += 1
            self.assignment()
        elif word in ("always", "initial"):
            self.at += 1
            if self.peek() == "@":
                self.at += 1
                if self.peek() == "(":
                    self.bracket()
                else:
                    self.at += 1
            self.statement()
        elif word == "function":
            self.skip_to(";")
            while self.peek() in NET:
                self.declaration()
            self.statement()
            self.at += 1   # endfunction
        elif word in ("for", "if"):
            self.at += 1
            self.bracket()
        elif word == "." and self.peek(2) == "(":
            name = self.peek(1)
            self.at += 2
            expression = self.bracket()
            if name.endswith("_i") and name != "clk_i" and expression:
                self.tied(name, expression)
        else:
            self.at += 1

    def ports(self):
        """Records the widths of a module's ports."""
        self.skip_to("(") if self.peek(2) != "#" else None
        if self.peek(2) == "#":
            self.at += 3
            self.bracket()
            self.at += 1
        tokens = self.skip_to(")")
        self.skip_to(";")
        width = None
        for index, token in enumerate(tokens):
            if token.text in ("input", "output"):
                width = "1"
            elif token.text == "[":
                colon = next(i for i in range(index, len(tokens)) if tokens[i].text == ":")
                width = f"({self.text[token.end:tokens[colon].start]}) + 1"
            elif re.fullmatch(r"\w+_(i|o|ni)", token.text):
                self.widths[token.text] = width

    def declaration(self):
        """Records the widths of declared names. Initial values are sites."""
        self.at += 1
        width = "1"
        if self.peek() == "[":
            inside = self.bracket()
            colon = next(i for i, token in enumerate(inside) if token.text == ":")
            width = f"({self.text[inside[0].start:inside[colon - 1].end]}) + 1"
        while True:
            name = self.tokens[self.at]
            self.widths[name.text] = width
            self.at += 1
            while self.peek() == "[":
                self.bracket()
            if self.peek() == "=":
                self.at += 1
                begin = self.at
                self.skip_to(",", ";")
                if not name.text.startswith("unused"):
                    self.expression(self.tokens[begin:self.at - 1], width)
                self.at -= 1
            self.at += 1
            if self.tokens[self.at - 1].text == ";":
                return

    def assignment(self):
        """LEFT = or <= RIGHT ;"""
        left = self.skip_to("=", "<=")
        clocked = self.tokens[self.at - 1].text == "<="
        site = self.expression(self.skip_to(";"), self.width_of(left))
        if clocked:
            site.mutants.append(("keeps its value", self.text[left[0].start:left[-1].end]))

    def width_of(self, left):
        """The width of a left side if it is easy to find; None for a concatenation."""
        if len(left) == 1:
            return self.widths.get(left[0].text)
        if left[0].text == "{":
            return None
        for index, token in enumerate(left):
            if token.text == "+:":
                return f"({self.text[left[index + 1].start:left[-2].end]})"
        return None

    def statement(self):
        word = self.peek()
        if word == "begin":
            self.at += 1
            if self.peek() == ":":
                self.at += 2
            while self.peek() != "end":
                if self.peek() in NET:
                    self.declaration()
                else:
                    self.statement()
            self.at += 1
        elif word == "if":
            self.at += 1
            self.condition(self.bracket())
            self.statement()
            if self.peek() == "else":
                self.at += 1
                self.statement()
        elif word == "for":
            self.at += 1
            self.bracket()
            self.statement()
        elif word in ("case", "casez"):
            self.at += 1
            self.bracket()
            while self.peek() != "endcase":
                if self.peek() == "default" and self.peek(1) != ":":
                    self.at += 1
                else:
                    self.skip_to(":")
                self.statement()
            self.at += 1
        elif word == ";":
            self.at += 1
        else:
            self.assignment()

    def site(self, tokens):
        start, end = tokens[0].start, tokens[-1].end
        site = Site(start, end, self.text.count("\n", 0, start) + 1)
        self.sites.append(site)
        return site

    def condition(self, tokens):
        site = self.site(tokens)
        text = self.text[site.start:site.end]
        if re.fullmatch(r"!\s*rst_ni", text):
            site.mutants.append(("reset removed", "1'b0"))
            return
        self.operators(site, tokens)
        for value in ("1'b1", "1'b0"):
            site.mutants.append((f"condition always {value[-1]}", value))
        site.mutants.append(("condition inverted", f"!({text})"))

    def tied(self, name, tokens):
        site = self.site(tokens)
        self.operators(site, tokens)
        value = "1'b1" if name == "rst_ni" else "1'b0"
        if value == "1'b1" or not ZERO.fullmatch(self.text[site.start:site.end]):
            site.mutants.append((f"{name} tied to {value[-1]}", value))

    def expression(self, tokens, width):
        site = self.site(tokens)
        text = self.text[site.start:site.end]
        self.operators(site, tokens)
        if ZERO.fullmatch(text):
            pass   # no bit can be cut
        elif width is not None and width != "1":
            ones = f"{{({width}){{1'b1}}}}"
            begin, end = self.zeros_of(tokens)   # without the zeros, nothing would change
            if not end:
                site.mutants.append(("lowest bit cut", f"({text}) & ({ones} << 1)"))
            if not begin:
                site.mutants.append(("highest bit cut", f"({text}) & ({ones} >> 1)"))
            if not begin or not self.is_half(begin, width):
                site.mutants.append(("upper half cut", f"({text}) & ({ones} >> ({width}) / 2)"))
        elif width == "1" and text not in ("1'b0", "1'b1"):
            site.mutants += [("stuck at 0", "1'b0"), ("stuck at 1", "1'b1"), ("inverted", f"!({text})")]
        return site

    def zeros_of(self, tokens):
        """The first and the last part of a concatenation; "" for a part that does not consist of zeros."""
        if tokens[0].text != "{":
            return "", ""
        parts, depth, begin = [], 0, 1
        for index, token in enumerate(tokens[1:], 1):
            if depth == 0 and (token.text == "," or index == len(tokens) - 1):
                parts.append(self.text[tokens[begin].start:tokens[index - 1].end])
                begin = index + 1
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if depth < 0 and index != len(tokens) - 1:
                return "", ""   # there is more than a concatenation
        return (part if ZERO.fullmatch(part) else "" for part in (parts[0], parts[-1]))

    @staticmethod
    def is_half(zeros, width):
        """Whether `zeros` surely covers half of the bits of WIDTH, a string."""
        size, bits = zeros.split("'")[0], re.fullmatch(r"\((\d+)\) \+ 1", width)
        return size.isdigit() and bits is not None and 2 * int(size) >= int(bits[1]) + 1

    def operators(self, site, tokens):
        inside = []   # for each bracket around the token: whether it is an index with a range
        for index, token in enumerate(tokens):
            before = tokens[index - 1] if index else None
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            if token.text in OPENING:
                inside.append(token.text == "[" and self.is_range(tokens, index))
            elif token.text in CLOSING:
                inside.pop()
            if any(inside):
                continue
            unary = before is None or not is_operand_end(before)
            if unary and token.text in SWAPPED_UNARY:
                self.replace(site, token, SWAPPED_UNARY[token.text])
            elif not unary and token.text in SWAPPED and not (is_constant(before) and is_constant(after)):
                self.replace(site, token, SWAPPED[token.text])
            elif re.fullmatch(r"1'b[01]", token.text):
                self.replace(site, token, ["1'b1" if token.text[-1] == "0" else "1'b0"])
            elif re.fullmatch(r"\d+'d\d+", token.text):
                size, value = token.text.split("'d")
                self.replace(site, token, [f"{size}'d{(int(value) + 1) % (1 << int(size))}"])

    @staticmethod
    def is_range(tokens, index):
        depth = 0
        for token in tokens[index:]:
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if depth == 1 and token.text in (":", "+:", "-:"):
                return True
            if depth == 0:
                return False
        return False

    def replace(self, site, token, texts):
        for text in texts:
            new = self.text[site.start:token.start] + text + self.text[token.end:site.end]
            what = f"'{token.text}' becomes '{text}'" if text else f"'{token.text}' removed"
            # In a long expression, the surrounding text shows which mutant it is.
            around = self.text[max(site.start, token.start - 12):min(site.end, token.end + 12)]
            site.mutants.append((f"{what} in '{' '.join(around.split())}'", new))


def sites_of(text):
    """Returns all sites of a file in order. Only sites in the inputs of an instance may overlap."""
    return Parser(text).sites_of()
