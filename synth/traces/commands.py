"""Secrets on command lines: after an option, as one of several words, and in what is handed from command to command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.traces.blocks import Span
from synth.traces.keys import Reading
from synth.traces.spoken import is_odd, is_secret
from synth.traces.values import FIXED, quoted_at, word_at

_ARGS = r"(?:[^\n|;&\\]|\\\r?\n|\\.){0,300}?"
_GAP = r"[ \t]{1,3}|="
_WORD = r"(?:\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[^\s\"'|;&]{1,80})"
_USER = r"[^\s:@,/%\"'$|;&=]{1,64}"


def _word(match: re.Match[str]) -> Sequence[Span]:
    """The word that follows, in the quotes that opened before it where some did."""
    text, at = match.string, match.end()
    opened = match.groupdict().get("quote")
    if opened:
        end = re.compile(rf"(?:[^{opened}\\\n]|\\.){{3,200}}+(?={opened})").match(text, at)
        span = end.span() if end else None
    elif quoted := quoted_at(text, at):
        span = (quoted[0].start, quoted[0].end_inner)
    else:
        word = word_at(text, at, style="shell")
        span = (word.start, word.end) if word else None
    if span is None or span[0] == span[1]:
        return []
    said = text[slice(*span)]
    if match.groupdict().get("odd") is not None:
        return [span] if is_odd(said) else []
    if said[0] in "-$`" or said.startswith("<(") or FIXED.fullmatch(said) or re.fullmatch(r"\d{1,5}", said):
        return []
    return [span] if is_secret(said, quoted=text[span[0] - 1] in "\"'") else []


def _login(match: re.Match[str]) -> Sequence[Span]:
    """The same, but for two numbers or two equal words, as a user and a group have."""
    found = _word(match)
    if not found:
        return []
    user, said = match["user"], match.string[slice(*found[0])]
    return [] if user == said or (user.isdigit() and said.isdigit()) else found


def _on(commands: str, option: str) -> Reading:
    return Reading("SECRET", re.compile(rf"(?<![\w\-])(?:{commands})(?![\w\-]){_ARGS}[ \t\"']{option}"), _word)


def _pair(before: str, between: str) -> Reading:
    return Reading("SECRET", re.compile(rf"{before}(?P<quote>[\"'])?(?P<user>{_USER}){between}"), _login)


COMMANDS: tuple[Reading, ...] = (
    _on(r"mysql\w{0,12}|mariadb[\w\-]{0,12}|mycli|7z[az]?|(?:un)?rar|sshpass", r"-h?p(?=[^\s,])"),
    _on(
        r"sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm registry|az|oc|crane auth|oras|cf) login|twine|mongo"
        r"(?:sh|dump|restore|export|import|stat|top)?|(?:evil-)?winrm|kinit|arangosh|cypher-shell|neo4j-admin|rpcclient"
        r"|crackmapexec|netexec|cqlsh|influx|hydra|svn|user(?:add|mod)",
        rf"(?:-p|--password)(?:{_GAP}|(?=[\"']))",
    ),
    _on(r"zip|unzip|zipcloak|sqlcmd|bcp|isql|tsql|mosquitto_\w{3}|ipmitool|mqtt", rf"-P(?:{_GAP}|(?=\S))"),
    _on(r"wpa_passphrase", rf"{_WORD}[ \t]{{1,3}}"),
    _on(r"ssh-keygen|puttygen", rf"-[NP](?:{_GAP})"),
    _on(r"passwd|sudo -\w{0,4}S", r"<<<[ \t]{0,3}"),
    _on(r"redis-cli|snmp\w{0,12}|ncrack", rf"-[aA](?:{_GAP})"),
    _on(r"ldap\w{0,12}", rf"-w(?:{_GAP}|(?=\S))"),
    _on(r"snmp\w{0,12}|onesixtyone", rf"-[cX](?:{_GAP})"),
    _on(r"openssl enc|openssl (?:aes|des|camellia)[\w\-]{0,20}", rf"-[kK](?:{_GAP})"),
    _on(r"openssl passwd", rf"-[156ar]\w{{0,4}}(?:{_GAP})"),
    _on(r"openssl", r"-pass(?:in|out)?[ \t]{1,3}[\"']?pass:"),
    _on(r"xfreerdp|rdesktop|wlfreerdp|mstsc|net use|psexec", r"(?:/p:|-p[ \t]|/user:\S{1,100}[ \t]{1,3})"),
    _on(r"vault login", r"(?=[^\s\-])(?:token=)?"),
    _on(r"(?:doctl|flyctl|fly|gh|glab|snyk|hcloud|railway|heroku|vercel|netlify)", rf"(?:-t|--auth)(?:{_GAP})"),
    _on(
        r"htpasswd",
        rf"-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}[ \t]{{1,3}}(?:-\w{{1,3}}[ \t]{{1,3}})?{_WORD}[ \t]{{1,3}}"
        rf"(?:(?<=[a-zA-Z]b )|{_WORD}[ \t]{{1,3}})",
    ),
    _on(r"htpasswd", rf"-[a-zA-Z]{{0,6}}n[a-zA-Z]{{0,6}}[ \t]{{1,3}}{_WORD}[ \t]{{1,3}}"),
    _pair(rf"\b(?:smbclient|rpcclient|net rpc|smbmap)\b{_ARGS}[ \t](?:-U[ \t]{{0,3}})", "%"),
    _pair(
        rf"\b(?:curl|wget|https?|httpie|xh|ab|siege|ncat)\b{_ARGS}"
        r"[ \t](?:(?:-[uUa]|--user|--proxy-user|--(?:proxy-)?auth)[ \t=]{0,3})",
        ":",
    ),
    _pair(r"(?<![\w\-])--(?:proxy-)?user[ =](?=[\"']?[^\s:]{1,64}:(?:[^\s:,\"'/]{0,40}[\d!@#$%^&*])(?!\S*/))", ":"),
    _pair(rf"\blftp\b{_ARGS}[ \t\"'](?:-u[ \t]{{0,3}}|(?:open|user)[ \t]+-u[ \t]+)", ","),
    _pair(
        r"\b(?:sqlplus|sqlldr|expdp|impdp|exp|imp|rman(?: target)?|sqlcl)\b(?:[ \t]+-\w{1,20}){0,4}[ \t]+(?:userid=)?",
        "/",
    ),
    _pair(r"\becho[ \t]+(?:-\w[ \t]+)?(?=[^\n|]{1,200}\|[^\n]{0,60}\bchpasswd)", ":"),
    _pair(r"\bchpasswd\b[ \t]*<<<?[ \t]*", ":"),
    Reading(
        "SECRET",
        re.compile(
            r"\b(?:echo|printf)[ \t]+(?:-\w{1,3}[ \t]+)?(?:[\"']%s(?:\\n)?[\"'][ \t]+)?(?=[^\n|]{1,200}\|"
            r"[ \t]*[^\n|;]{0,80}"
            r"(?:sudo -\w{0,4}S|--password-stdin|--with-token|passwd --stdin|stdin-pass|cryptsetup|-pass stdin|kinit"
            r"|smbpasswd -s|gpg[^\n]{0,40}--passphrase-fd))"
        ),
        _word,
    ),
    Reading(
        "SECRET", re.compile(r"assword[^\n]{0,40}\n[^\n]{0,20}\bsend(?:line)?(?:[ \t]+--)?[ \t(]+(?=[\"'])"), _word
    ),
    Reading(
        "SECRET",
        re.compile(
            r"\b(?:auth[ \t]{0,3}=[ \t]{0,3}|\w{0,20}Auth|basic_auth|\.(?:auth|login|authenticate))\(\s{0,9}"
            r"[bBrRfFuU]{0,2}(?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')\s{0,9},\s{0,9}(?=[bBrRfFuU]{0,2}[\"'])"
        ),
        _word,
    ),
    Reading(
        "SECRET",
        re.compile(
            r"(?<![\w.*:/\-])(?!\S{1,80}\.(?:py|cc?|cpp|h|[jt]sx?|rs|go|java|rb|md|txt|sql|sh):)[\w.*\-]{1,80}:(?:\d{4,5}|\*)"
            r":[\w.*\-]{1,60}:[\w.*\-]{1,60}:(?=[^\s:]{3,200}(?:\s|\Z))",
            re.MULTILINE,
        ),
        _word,
    ),
    Reading("SECRET", re.compile(r"\bConvertTo-SecureString[ \t]+(?:-String[ \t]+)?(?=[\"'])"), _word),
    Reading(
        "SECRET",
        re.compile(
            r"\b(?:login|log[ -]?in|user(?:name)?|creds|credentials|account)\b[\"'*`]{0,3}[ \t]{0,3}:[* \t]{0,4}"
            r"(?:[\w.@\-]{1,60})[ \t]{0,2}[/|:][ \t]{0,2}(?P<odd>)(?=[^\s/])",
            re.IGNORECASE,
        ),
        _word,
    ),
    Reading(
        "SECRET",
        re.compile(
            r"\bidentified[ \t]+(?:with[ \t]+\S{1,40}[ \t]+)?by[ \t]+(?:password[ \t]+)?(?=[\"'])", re.IGNORECASE
        ),
        _word,
    ),
    Reading(
        "SECRET", re.compile(r"^[ \t]{0,9}(?:requirepass|masterauth|snmp-server community)[ \t]+", re.MULTILINE), _word
    ),
)
