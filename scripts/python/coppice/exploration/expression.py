"""Arithmetic expressions with named quantities, such as "64 * topology.links / topology.accelerators <= 4" in a
space."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

FUNCTIONS = {"min": min, "max": max, "abs": abs, "sqrt": math.sqrt, "log2": math.log2, "ceil": math.ceil,
             "floor": math.floor, "round": round}
BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.Eq: operator.eq, ast.NotEq: operator.ne}
# Factors from units to bytes, ns, GB/s and GHz.
UNITS = {"B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30, "TiB": 2 ** 40, "KB": 1e3, "MB": 1e6, "GB": 1e9,
         "TB": 1e12, "fs": 1e-6, "ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "KB/s": 1e-6, "MB/s": 1e-3,
         "GB/s": 1, "TB/s": 1e3, "Hz": 1e-9, "kHz": 1e-6, "MHz": 1e-3, "GHz": 1}
QUANTITY = re.compile(r"\s*([-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z/]*)\s*")
TEMPLATE = re.compile(r"\$\{([^}]*)\}")


class ExpressionError(ValueError):
    """The string is not an expression, or its value is invalid."""


class MissingName(ExpressionError):
    """A name that has no value, or none yet."""

    def __init__(self, name: str):
        super().__init__(f"unknown quantity '{name}'")
        self.name = name


def number(value: Any) -> Any:
    """Converts a string such as "16 GB/s" to bytes, ns, GB/s or GHz; returns other values unchanged."""
    if isinstance(value, str):
        match = QUANTITY.fullmatch(value)
        if match and (not match[2] or match[2] in UNITS):
            scaled = float(match[1]) * UNITS.get(match[2], 1)
            return int(scaled) if scaled.is_integer() else scaled
    return value


def _dotted(node: ast.AST) -> str | None:
    """Returns "a.b.0" for the nodes of a.b[0], or None if the nodes are not a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.slice.value}"
    return None


class Expression:
    """A parsed expression. Names are dotted paths, with list indices in brackets."""

    def __init__(self, text: Any):
        self.text = str(text)
        try:
            self._tree = ast.parse(self.text.strip(), mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(f"'{self.text}' is not an expression: {error.msg}") from error
        self.names: set[str] = set()
        self._check(self._tree)

    def _check(self, node: ast.AST) -> None:
        name = _dotted(node)
        if name is not None:
            self.names.add(name)
            return
        known = (isinstance(node, ast.BinOp) and type(node.op) in BINARY or
                 isinstance(node, ast.UnaryOp) and type(node.op) in UNARY or
                 isinstance(node, ast.Compare) and all(type(op) in COMPARE for op in node.ops) or
                 isinstance(node, (ast.BoolOp, ast.IfExp)) or
                 isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and
                 not node.keywords or
                 isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, bool)))
        if not known:
            raise ExpressionError(f"'{self.text}': an expression may contain numbers, names, + - * / // % **, comparisons, and, "
                                  f"or, not, if else, and {', '.join(FUNCTIONS)}")
        children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
        for child in children:
            if isinstance(child, ast.expr):
                self._check(child)

    def evaluate(self, lookup: Callable[[str], Any]) -> Any:
        """The value, with names resolved by `lookup`, whose exceptions propagate. Raises ExpressionError."""
        try:
            return self._value(self._tree, lookup)
        except (ArithmeticError, TypeError, ValueError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"'{self.text}': {error}") from error

    def violation(self, lookup: Callable[[str], Any]) -> float:
        """How far a condition is violated, relative to its right side; 0 or negative if it is met."""
        tree = self._tree
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(
                tree.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            left, right = self._value(tree.left, lookup), self._value(tree.comparators[0], lookup)
            if isinstance(left, (int, float)) and isinstance(right, (int, float)):
                beyond = (left - right) / max(abs(right), 1e-12)
                beyond = beyond if isinstance(tree.ops[0], (ast.Lt, ast.LtE)) else -beyond
                strict = isinstance(tree.ops[0], (ast.Lt, ast.Gt))
                return 1e-12 if strict and beyond == 0 else beyond
        return 0.0 if self.evaluate(lookup) else 1.0

    def _value(self, node: ast.AST, lookup: Callable[[str], Any]) -> Any:
        name = _dotted(node)
        if name is not None:
            return number(lookup(name))
        if isinstance(node, ast.Constant):
            return number(node.value)
        if isinstance(node, ast.BinOp):
            return BINARY[type(node.op)](self._value(node.left, lookup), self._value(node.right, lookup))
        if isinstance(node, ast.UnaryOp):
            return UNARY[type(node.op)](self._value(node.operand, lookup))
        if isinstance(node, ast.BoolOp):
            every = isinstance(node.op, ast.And)
            value = every
            for part in node.values:
                value = self._value(part, lookup)
                if bool(value) != every:
                    break
            return value
        if isinstance(node, ast.IfExp):
            return self._value(node.body if self._value(node.test, lookup) else node.orelse, lookup)
        if isinstance(node, ast.Compare):
            left = self._value(node.left, lookup)
            for op, part in zip(node.ops, node.comparators):
                right = self._value(part, lookup)
                if not COMPARE[type(op)](left, right):
                    return False
                left = right
            return True
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*(self._value(argument, lookup) for argument in node.args))


def templates(text: Any) -> list[Expression]:
    """The expressions in a value's ${...}; none if the value is not a string."""
    return [Expression(inner) for inner in TEMPLATE.findall(text)] if isinstance(text, str) else []


def fill(text: Any, lookup: Callable[[str], Any]) -> Any:
    """Replaces each ${expression} with its value. Numbers get at most nine decimal places, the most that a bandwidth in
    GB/s may have; whole numbers get no decimal point."""
    if not isinstance(text, str):
        return text

    def one(match: re.Match[str]) -> str:
        value = Expression(match[1]).evaluate(lookup)
        return f"{round(value, 9):.15g}" if isinstance(value, float) else str(value)
    return TEMPLATE.sub(one, text)
