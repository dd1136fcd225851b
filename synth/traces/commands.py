"""Secrets on command lines, in environments, in configuration files and in headers: how each is written."""

from __future__ import annotations

import re
from collections.abc import Callable

from synth.traces.spoken import is_odd, is_secret

Spelling = tuple[str, re.Pattern[str], Callable[[str], bool]]
"""What a match is, the pattern (its last group is the secret) and who has the last word."""

_ARGS = r"(?:[^\n|;&\\]|\\\r?\n|\\.){0,300}?"
_END = r"([^\s\"'`;|&()<>\[\]$][^\s\"'`;|&()<>]{2,}|\"[^\"\n]{3,}\"|'[^'\n]{3,}')"
_QUOTED = r"(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}')"


def _on(command: str, option: str) -> Spelling:
    """What follows an option of a command."""
    return "SECRET", re.compile(rf"\b(?:{command})\b{_ARGS}[ \t\"']{option}{_END}"), is_secret


def spellings(labels: str) -> tuple[Spelling, ...]:
    """Every spelling; `labels` are what a secret is called, as alternatives of a pattern."""
    value = r"(\"[^\"\n]{3,}\"|'[^'\n]{3,}'|[^\s\"'`(){}\[\],;<>]{3,})"
    return (
        _on(r"mysql\w*|mariadb[\w\-]*|mycli|7z[az]?", "-p"),
        _on(
            r"sshpass|docker login|podman login|helm registry login|az login|mongo\w*", r"(?:-p|--password)[ \t=]{0,3}"
        ),
        _on(r"zip|unzip|zipcloak", r"(?:-P|--password)[ \t]{0,3}"),
        _on(r"redis-cli", "-a[ \t]{1,3}"),
        _on(r"ldap\w+", "-w[ \t]{0,3}"),
        _on(r"smbclient|rpcclient|net rpc", r"-U[ \t]{0,3}[\"']?[^\s%\"']{1,64}%"),
        _on(r"curl|wget|https?|httpie|xh|ab", r"(?:-u|-U|--user|--proxy-user)[ \t=]{0,3}[\"']?[^\s:@\"'$]{1,64}:"),
        _on(r"htpasswd", r"-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S{1,200}[ \t]+\S{1,64}[ \t]+"),
        ("SECRET", re.compile(r"(?<![\w\-])--(?:proxy-)?user[ =][\"']?[^\s:@\"'$]{1,64}:([^\s\"'$]{3,})"), is_secret),
        ("SECRET", re.compile(r"\bnet use\b[^\n]{0,200}?/user:\S{1,100}[ \t]+([^\s/]{3,})", re.IGNORECASE), is_secret),
        ("SECRET", re.compile(rf"-pass(?:in|out)?[ \t]+(?:pass:){_END}"), is_secret),
        (
            "SECRET",
            re.compile(
                r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|PASS|_PWD|SECRET|TOKEN|API_?KEY|_AUTH)"
                rf"(?:=|[\"']?[ \t]{{1,3}}=[ \t]{{1,3}}|[ \t]{{0,3}}=[ \t]{{0,3}}(?=[\"'])){value}(?![(\[])"
            ),
            is_secret,
        ),
        ("SECRET", re.compile(rf"(?<![A-Za-z0-9_])PASS(?:WD)?={value}(?![(\[])"), is_odd),
        (
            "SECRET",
            re.compile(
                rf"(?<![A-Za-z])(?:[a-z]{{1,20}}_){{0,3}}pass[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}}{value}(?![(\[])"
            ),
            is_odd,
        ),
        ("SECRET", re.compile(rf"\blogin[ \t]+\S{{1,100}}[ \t]+password[ \t]+{value}", re.IGNORECASE), is_secret),
        ("SECRET", re.compile(rf"\b(?:identified by|password)[ \t]+{_QUOTED}", re.IGNORECASE), is_secret),
        ("SECRET", re.compile(rf"\b(?:requirepass|masterauth)[ \t]+{value}", re.IGNORECASE), is_odd),
        (
            "SECRET",
            re.compile(
                r"\b(?:auth[ \t]{0,3}=[ \t]{0,3}|\w{0,20}BasicAuth)"
                rf"\(\s{{0,9}}{_QUOTED}\s{{0,9}},\s{{0,9}}{_QUOTED}"
            ),
            is_secret,
        ),
        ("SECRET", re.compile(rf"[\"'](?:{labels})[\"']\s{{0,80}}:\s{{0,80}}{_QUOTED}", re.IGNORECASE), is_secret),
        ("SECRET", re.compile(rf"[\"'](?:{labels})[\"']\s{{1,9}}value={_QUOTED}", re.IGNORECASE), is_secret),
        (
            "TOKEN",
            re.compile(
                r"\bAuthorization[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?(?:[A-Za-z][A-Za-z0-9\-]{1,20}[ \t]{1,9})?"
                r"([^\s\"',;<>()\[\]{}]{6,})",
                re.IGNORECASE,
            ),
            is_odd,
        ),
        *_yaml(labels),
    )


def _yaml(labels: str) -> tuple[Spelling, ...]:
    """A value on the lines below its key: one word, a block, or a list."""
    before = r"(?:-[ \t]{1,3}|[^\n]{0,80}?[\"'>][ \t]?)?"
    key = rf"^([ \t]{{0,80}}){before}[\"']?(?:[A-Za-z]{{1,20}}[_\-]){{0,3}}(?:{labels})[\"']?"
    key += r"[ \t]{0,3}:[ \t]{0,3}"
    below = r"(?:#[^\n]{0,200}|[&!][\w!]{1,40})?[ \t]{0,3}\r?\n"
    line = r"(?!\[[A-Z]+_\d)[^\s][^\n]{0,500}"
    item = r"(?!\[)[^\s:#(){}\[\],;<>]{3,}"
    word = r"[\"']?([^\s\"':#(){}\[\],;<>][^\s\"'(){}\[\],;<>]{2,})[\"']?[ \t]{0,9}(?=\r?\n|\Z)"
    flags = re.IGNORECASE | re.MULTILINE
    block = rf"[|>][+\-\d]{{0,2}}[ \t]{{0,3}}\r?\n\1[ \t]{{1,20}}({line}(?:\n\1[ \t]{{1,20}}{line}){{0,60}})"
    listed = rf"\1[ \t]{{0,20}}-[ \t]{{1,3}}({item}(?:[ \t]{{0,9}}\r?\n\1[ \t]{{0,20}}-[ \t]{{1,3}}{item}){{0,60}})"
    tagged = r"[&!][\w!]{1,40}[ \t]{1,3}([^\s\"'(){}\[\],;<>]{3,})"
    return (
        ("SECRET", re.compile(key + block, flags), lambda found: bool(found.strip())),
        ("SECRET", re.compile(rf"{key}{below}\1[ \t]{{1,20}}{word}", flags), is_secret),
        ("SECRET", re.compile(rf"{key}{below}{listed}[ \t]{{0,9}}(?=\r?\n|\Z)", flags), is_odd),
        ("SECRET", re.compile(key + tagged, flags), is_secret),
    )
