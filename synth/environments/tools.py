"""Tools: methods of an environment, with JSON schemas and argument checks derived from their signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from warehouse.errors import GradatimError
from warehouse.records import JsonValue

MARK = "__tool__"
SHOWN = 200
"""Longest rendering of what was wrong with a call, characters."""

Method = TypeVar("Method", bound=Callable[..., str])


class ToolError(GradatimError):
    """A tool cannot do what it was asked; the message is the observation."""


class Infrastructure(GradatimError):
    """What a tool stands on failed, which says nothing of the policy: the rollout is masked."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as the policy sees it: a name, a meaning, typed parameters, and the function behind it.

    `ends` says that a call of it ends the episode.
    """

    name: str
    meaning: str
    parameters: type[BaseModel]
    run: Callable[..., str]
    ends: bool = False

    @property
    def schema(self) -> dict[str, JsonValue]:
        """The tool in the form in which chat templates and servers take it."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.meaning, "parameters": _schema(self.parameters)},
        }

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with defaults filled in; raises `ToolError` that names the first wrong one and what is taken.

        Types are strict: "3" is no integer and 1 is no truth value.
        """
        try:
            made = self.parameters.model_validate(dict(arguments), strict=True)
        except ValidationError as error:
            raise ToolError(f"{self.name}: {_complaint(error)}; it takes: {self.signature}") from None
        except RecursionError:
            raise ToolError(f"{self.name}: arguments are nested too deep; it takes: {self.signature}") from None
        return {name: getattr(made, name) for name in self.parameters.model_fields}

    @property
    def signature(self) -> str:
        """The call as a person would write it, such as `read(path: string, start: integer = 1)`."""
        schema = _schema(self.parameters)
        required = schema.get("required", [])
        words = []
        for name, said in schema["properties"].items():
            kind = said.get("type") or " or ".join(str(one.get("type")) for one in said.get("anyOf", ()))
            words.append(f"{name}: {kind}" + ("" if name in required else f" = {said.get('default')!r}"))
        return f"{self.name}({', '.join(words)})"


def tool(method: Method) -> Method:
    """Decorator: this method of an environment is a tool; its docstring's first line is what it does."""
    setattr(method, MARK, True)
    return method


def tools_of(environment: object) -> tuple[Tool, ...]:
    """The tools of an environment, in the order in which its class defines them."""
    cls = type(environment)
    names = [name for base in reversed(cls.__mro__) for name, found in vars(base).items() if hasattr(found, MARK)]
    return tuple(as_tool(getattr(environment, name)) for name in dict.fromkeys(names))


def as_tool(function: Callable[..., str], *, ends: bool = False) -> Tool:
    """A function as a tool: every parameter annotated, each a keyword."""
    plain = getattr(function, "__func__", function)
    name = plain.__name__
    meaning = (inspect.getdoc(plain) or name).partition("\n")[0]
    return Tool(name, meaning, _parameters(plain), function, ends)


@lru_cache(maxsize=1024)
def _parameters(function: Callable[..., str]) -> type[BaseModel]:
    signature = inspect.signature(function, eval_str=True)
    fields: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if name == "self":
            continue
        if parameter.annotation is parameter.empty:
            raise GradatimError(f"tool {function.__name__}: parameter {name} has no type; annotate it")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (parameter.annotation, Field(default))
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


@lru_cache(maxsize=1024)
def _schema(parameters: type[BaseModel]) -> dict[str, Any]:
    schema = parameters.model_json_schema()
    schema.pop("title", None)
    schema.setdefault("properties", {})
    for said in schema["properties"].values():
        said.pop("title", None)
    return schema


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=True)[0]
    place = ".".join(map(str, first["loc"])) or "arguments"
    if first["type"] == "missing":
        return f"argument {place} is missing"
    if first["type"] == "extra_forbidden":
        return f"there is no argument {place[:SHOWN]}"
    said = repr(first["input"])
    said = said if len(said) <= SHOWN else said[:SHOWN] + "..."
    return f"argument {place} is {said}: {first['msg'][:1].lower()}{first['msg'][1:]}"
