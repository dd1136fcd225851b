"""Which model answers in a role, and what it may cost; no secret is ever part of it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from synth.lineage import same_lineage
from warehouse.errors import UserError
from warehouse.records import JsonValue, content_hash


class ModelConfig(BaseModel):
    """One model in one role: `[models.writer]`, `[models.checker]`, `[models.referee]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    engine: str = "server"
    """`server`: any OpenAI-compatible server; `transformers` or `vllm`: in this process; or a plugin's."""
    model: str = Field(min_length=1)
    """The model's name at the server, a hub name, a local folder, `pocket` or `smollm`."""
    lineage: str = Field(min_length=1)
    """Family of weights; writer and checker must differ in it."""
    revision: str = ""
    """What else decides its replies, as a weights revision; a change makes cached replies new."""
    endpoints: tuple[str, ...] = ()
    """Base URLs of servers with this model, such as `http://127.0.0.1:8000/v1`; requests are balanced over them."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    price_in: float = Field(0.0, ge=0)
    """Money for a million prompt tokens."""
    price_out: float = Field(0.0, ge=0)
    """Money for a million generated tokens."""
    concurrency: int = Field(16, ge=1, le=1024)
    """Most requests at once; fewer while the server refuses some."""
    timeout_s: float = Field(120.0, gt=0)
    """Seconds for one request, from its start to the last byte."""
    tries: int = Field(5, ge=1, le=20)
    """Times that one question is sent, at most, before it counts as failed."""
    longest_wait_s: float = Field(30.0, ge=0)
    """Longest pause between two tries, whatever the server asks for."""
    temperature: float | None = Field(None, ge=0)
    """Softmax temperature in place of the role's own."""
    max_tokens: int | None = Field(None, ge=1)
    """Tokens of one reply in place of the role's own."""

    @field_validator("lineage")
    @classmethod
    def _named(cls, lineage: str) -> str:
        if not lineage.strip():
            raise ValueError("a lineage that is blank tells no model from another")
        return lineage

    @field_validator("endpoints")
    @classmethod
    def _plain(cls, endpoints: tuple[str, ...]) -> tuple[str, ...]:
        for endpoint in endpoints:
            parts = urlsplit(endpoint)
            if parts.username or parts.password or parts.query:
                raise ValueError("an endpoint holds no user, password or query; name the key's variable in api_key_env")
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError(f"endpoint '{endpoint}' must begin with http:// or https:// and name a host")
        return endpoints

    @model_validator(mode="after")
    def _reachable(self) -> ModelConfig:
        if self.engine == "server" and not self.endpoints:
            raise ValueError("engine 'server' needs endpoints, such as ['http://127.0.0.1:8000/v1']")
        return self

    @property
    def identity(self) -> str:
        """What decides replies, as 16 digits: model, revision, engine and settings, not where or how fast it runs."""
        parts: list[JsonValue] = [self.engine, self.model, self.revision, self.lineage]
        return content_hash(*parts, self.temperature, self.max_tokens)[:16]


class BudgetConfig(BaseModel):
    """What all models together may use in one run; a ceiling stops cleanly and keeps what is done."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    tokens: int | None = Field(None, ge=1)
    """Prompt and generated tokens; none for no ceiling."""
    money: float | None = Field(None, gt=0)
    """In the currency of the prices."""
    minutes: float | None = Field(None, gt=0)
    """Wall time in which questions may still be sent."""


class ModelsConfig(BaseModel):
    """The models of a run by role, and what they may use together."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    writer: ModelConfig | None = None
    """Writes tasks."""
    checker: ModelConfig | None = None
    """Solves them blind; of another lineage than the writer."""
    referee: ModelConfig | None = None
    """Judges for graders that ask; of another lineage than the policy."""
    budget: BudgetConfig = BudgetConfig()

    @model_validator(mode="after")
    def _separated(self) -> ModelsConfig:
        if self.writer and self.checker and same_lineage(self.writer.lineage, self.checker.lineage):
            raise ValueError(
                f"writer '{self.writer.model}' and checker '{self.checker.model}' share the lineage "
                f"'{self.writer.lineage}'; a checker must be of another lineage"
            )
        return self

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides what the models say, without where they run, how fast, or what they may cost."""
        roles = {"writer": self.writer, "checker": self.checker, "referee": self.referee}
        return {role: config.identity for role, config in roles.items() if config is not None}


_SPEC = re.compile(r"(?P<engine>[a-z_]+):(?P<model>[^@:]+(?::[^@:]+)*):(?P<lineage>[^@:]+)(?:@(?P<url>https?://.+))?")


def model_of(spec: str) -> ModelConfig:
    """The model that `ENGINE:MODEL:LINEAGE` or `server:MODEL:LINEAGE@URL` names; raises `UserError` for another form.

    >>> model_of("server:qwen3-8b:qwen@http://127.0.0.1:8000/v1").endpoints
    ('http://127.0.0.1:8000/v1',)
    """
    match = _SPEC.fullmatch(spec)
    see = "see: gradatim synth --help"
    if match is None:
        raise UserError(f"model '{spec}' must read ENGINE:MODEL:LINEAGE or server:MODEL:LINEAGE@URL; {see}")
    url = match["url"]
    try:
        return ModelConfig(
            engine=match["engine"],
            model=match["model"],
            lineage=match["lineage"],
            endpoints=() if url is None else (url,),
        )
    except ValidationError as error:
        raise UserError(f"model '{spec}': {error.errors()[0]['msg'].removeprefix('Value error, ')}; {see}") from error
