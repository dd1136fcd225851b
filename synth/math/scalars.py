"""The expression part of the parser: sums, products, powers, functions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from synth.math.equality import MathError
from synth.math.tokens import Token
from synth.math.tree import MINUS_ONE, Node, divided, negated, num
from synth.math.vocabulary import CLOSERS, CONSTANTS, FUNCTIONS, GREEK, INVERSES, OVER, TIMES


class ScalarParser:
    """Parses expressions from a list of tokens, left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens, self.place, self.bars = tokens, 0, 0

    def peek(self) -> str:
        """The text of the next token, empty at the end."""
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def kind(self) -> str:
        """The kind of the next token, empty at the end."""
        return self.tokens[self.place].kind if self.place < len(self.tokens) else ""

    def take(self) -> str:
        """The next token's text, taken."""
        if self.place >= len(self.tokens):
            raise MathError("the text ends too early")
        self.place += 1
        return self.tokens[self.place - 1].text

    def expect(self, text: str) -> None:
        """Takes `text`, or raises `MathError`."""
        if self.take() != text:
            raise MathError(f"{text} expected")

    def environment(self) -> str:
        r"""The letters in braces after `\begin` or `\end`."""
        self.expect("{")
        name = ""
        while self.peek() not in ("}", ""):
            name += self.take()
        self.expect("}")
        return name

    def sum(self) -> Node:
        """Terms added and subtracted."""
        terms = [self.product()]
        while self.peek() in ("+", "-", "\\pm", "\\mp"):
            sign = self.take()
            term = self.product()
            if sign in ("\\pm", "\\mp"):
                term = Node("fn", ("pm", term))
            terms.append(negated(term) if sign == "-" else term)
        return Node("add", tuple(terms)) if len(terms) > 1 else terms[0]

    def product(self) -> Node:
        """Factors multiplied and divided, also by standing side by side."""
        if self.peek() in ("-", "+", "\\pm", "\\mp"):
            sign = self.take()
            inner = self.product()
            if sign in ("\\pm", "\\mp"):
                return Node("fn", ("pm", inner))
            return negated(inner) if sign == "-" else inner
        factors = [self.power()]
        while True:
            token = self.peek()
            if token in TIMES:
                self.take()
                factors.append(self._signed())
            elif token in OVER:
                self.take()
                factors.append(Node("pow", (self._signed(), MINUS_ONE)))
            elif self._begins_factor():
                if self.kind() == "num" and self.tokens[self.place - 1].kind == "num":
                    raise MathError("two numbers side by side")
                mixed = len(factors) == 1 and factors[0].op == "num" and token == "\\frac"
                factor = self.power()
                factors = [self._mixed(factors[0], factor)] if mixed else [*factors, factor]
            else:
                return Node("mul", tuple(factors)) if len(factors) > 1 else factors[0]

    def _signed(self) -> Node:
        if self.peek() in ("-", "+"):
            return negated(self._signed()) if self.take() == "-" else self._signed()
        return self.power()

    @staticmethod
    def _mixed(whole: Node, part: Node) -> Node:
        r"""`3\frac12` as three and a half, for a proper positive fraction of numerals; else a product."""
        values = [arg.args[0] for arg in part.args if isinstance(arg, Node) and arg.op == "num"]
        bottom = part.args[1] if part.op == "mul" and len(part.args) == 2 else None
        if len(values) == 1 and isinstance(bottom, Node) and bottom.op == "pow":
            below = bottom.args[0]
            if isinstance(below, Node) and below.op == "num" and isinstance(below.args[0], Fraction):
                top = values[0]
                if isinstance(top, Fraction) and 0 < top < below.args[0]:
                    return Node("add", (whole, part))
        return Node("mul", (whole, part))

    def _begins_factor(self) -> bool:
        token, kind = self.peek(), self.kind()
        if kind in ("num", "name", "word"):
            return True
        if token == "|":
            return self.bars == 0
        if token in ("(", "{", "[") or token in CONSTANTS:
            return token != "["
        bare = token[1:]
        return kind == "cmd" and (
            bare in FUNCTIONS or bare in GREEK or bare in ("frac", "sqrt", "binom", "lfloor", "lceil")
        )

    def power(self) -> Node:
        """An atom with factorials, percent, degrees and an exponent."""
        result = self._postfix(self.atom())
        if self.peek() in ("^", "**"):
            self.take()
            if self._circle():
                return self._postfix(Node("degree", (result,)))
            result = self._postfix(Node("pow", (result, self._exponent())))
        return result

    def _postfix(self, result: Node) -> Node:
        while self.peek() in ("!", "%"):
            if self.peek() == "!" and result.op == "fn" and result.args[0] == "factorial":
                raise MathError("a double factorial or a factorial of a factorial")
            result = Node("fn", ("factorial", result)) if self.take() == "!" else divided(result, num(100))
        return result

    def _circle(self) -> bool:
        braced = self.peek() == "{" and [t.text for t in self.tokens[self.place + 1 : self.place + 3]] == [
            "\\circ",
            "}",
        ]
        if braced:
            self.place += 3
        elif self.peek() == "\\circ":
            self.take()
        else:
            return False
        return True

    def _exponent(self) -> Node:
        if self.peek() == "{":
            return self._group_of("{")
        if self.peek() in ("-", "+"):
            return negated(self._exponent()) if self.take() == "-" else self._exponent()
        atom = self._postfix(self.atom())
        if self.peek() in ("^", "**"):
            self.take()
            return Node("pow", (atom, self._exponent()))
        return atom

    def _group_of(self, opening: str) -> Node:
        self.expect(opening)
        bars, self.bars = self.bars, 0
        inner = self.sum()
        self.bars = bars
        self.expect(CLOSERS[opening])
        return inner

    def _argument(self) -> Node:
        """What a LaTeX command takes: a group, one digit, or one atom."""
        if self.peek() == "{":
            return self._group_of("{")
        if self.kind() == "num":
            token = self.tokens[self.place]
            if len(token.text) > 1 and "." not in token.text:
                self.tokens = [
                    *self.tokens[: self.place],
                    Token("num", token.text[0], token.spaced),
                    Token("num", token.text[1:], False),
                    *self.tokens[self.place + 1 :],
                ]
        return self.atom()

    def atom(self) -> Node:
        """A number, a variable, a constant, a group, or a command with its arguments."""
        kind, token = self.kind(), self.take()
        if kind == "num":
            if self.peek() == "_":
                self.take()
                return Node("base", (token, _spelled(self._subscript())))
            return num(Fraction(token))
        if kind == "name":
            return self._named(token)
        if kind == "word":
            return Node("word", (token,))
        if token in ("(", "[", "{"):
            self.place -= 1
            return self._group_of(token)
        if token == "|":
            self.bars += 1
            inner = self.sum()
            self.expect("|")
            self.bars -= 1
            return Node("fn", ("abs", inner))
        return self._command(token)

    def _named(self, name: str) -> Node:
        if self.peek() == "_":
            self.take()
            return Node("sym", (f"{name}_{_spelled(self._subscript())}",))
        if name in ("e", "i"):
            return Node("const", (name,))
        if name in ("f", "g", "h") and self.peek() == "(":
            return Node("fn", (f"call {name}", self._group_of("(")))
        return Node("sym", (name,))

    def _subscript(self) -> Node:
        return self._group_of("{") if self.peek() == "{" else self.atom()

    def _command(self, token: str) -> Node:
        name = token[1:] if token.startswith("\\") else token
        if token in CONSTANTS:
            return Node("const", (CONSTANTS[token],))
        if name in GREEK:
            return self._named(name)
        if name == "frac":
            return divided(self._argument(), self._argument())
        if name == "binom":
            return Node("fn", ("binomial", self._argument(), self._argument()))
        if name == "sqrt":
            index = self._group_of("[") if self.peek() == "[" else num(2)
            radicand = self._group_of("(") if self.peek() == "(" else self._argument()
            return Node("pow", (radicand, Node("pow", (index, MINUS_ONE))))
        if name in ("lfloor", "lceil"):
            self.place -= 1
            return Node("fn", ("floor" if name == "lfloor" else "ceiling", self._group_of(token)))
        if name in FUNCTIONS:
            return self._function(FUNCTIONS[name])
        raise MathError(f"{token} is not in the grammar")

    def _function(self, name: str) -> Node:
        base: Node | None = None
        exponent: Node | None = None
        if self.peek() == "_" and name == "log":
            self.take()
            base = self._argument()
        if self.peek() in ("^", "**"):
            self.take()
            exponent = self._exponent()
            if exponent == MINUS_ONE and name in INVERSES:
                name, exponent = INVERSES[name], None
        arguments = self._arguments(self.peek()) if self.peek() in ("(", "{") else [self._run()]
        if name in ("gcd", "lcm") or len(arguments) == 1:
            result = Node("fn", (name, *arguments))
        else:
            raise MathError(f"{name} of {len(arguments)} arguments")
        if base is not None:
            result = divided(result, Node("fn", ("log", base)))
        if name == "log10":
            result = divided(Node("fn", ("log", *arguments)), Node("fn", ("log", num(10))))
        return result if exponent is None else Node("pow", (result, exponent))

    def _arguments(self, opening: str) -> list[Node]:
        self.expect(opening)
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        self.expect(CLOSERS[opening])
        return found

    def _run(self) -> Node:
        r"""The factors that a function without parentheses takes: `\sin 2x` but not the cosine in `\sin x\cos x`."""
        sign = self.peek() == "-"
        if sign:
            self.take()
        result = self.power()
        while self.kind() in ("num", "name") or self.peek() in CONSTANTS:
            result = Node("mul", (result, self.power()))
        return negated(result) if sign else result


def _spelled(node: Node) -> str:
    """A subscript as text."""
    value = node.args[0]
    return str(value) if node.op in ("num", "sym", "const", "word") else repr(node)
