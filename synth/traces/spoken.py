"""Whether what stands where a secret would is one: code, types, placeholders and numbers of programs are none."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from synth.traces.lists import listed
from synth.traces.values import PLACEHOLDER

NO_SECRETS = listed(
    "buffer date json blob decimal none null nil true false undefined required optional string str text bytes "
    "integer int number boolean bool object varchar secretstr any password passwd passphrase passcode pwd "
    "secret secrets token tokens key cookie cookies session sessions redacted masked hidden missing empty unset "
    "incorrect invalid wrong expired unknown authentication authorization auth header headers credentials char "
    "uuid array list dict float double long default yes no stdin prompt"
)
_TYPES = listed(
    "utf-8 utf8 ascii latin-1 sha256 md5 bcrypt none null nil true false undefined required optional string str "
    "text bytes integer int number boolean bool object varchar secretstr any array list dict char float uuid "
    "redacted masked hidden missing invalid incorrect expired unknown hash"
)
_PROSE = listed(
    "must should shall may might can cannot could would will required optional characters please enter choose "
    "is are was were be been being has have had needs need your you when if used did does do not but so see "
    "same before via using stored encrypted protected reset at least only and then or that which who isn't "
    "don't doesn't didn't can't won't mustn't minimum with contains changed forgotten min max chars per never "
    "always unique letters digits there"
)
_DEMANDS = listed("must should required invalid incorrect characters please enter cannot your")
_ROOTS = "self|this|cls|args|kwargs|config|cfg|conf|settings|request|req|os|env|environ|options|opts|params|process"
_DOTTED = re.compile(
    rf"(?:{_ROOTS}|form|data|user|conn|session|secrets|getpass|input|ctx|app|ENV|System|std|local|var|module|each|res"
    rf"|event|props|state|credentials|account|client|db|crypto|random|math|string|lib|api|auth|model|row|record|body)"
    r"(?:\??\.|::|->)[A-Za-z_$][\w.$?>:\-]*[\[(]?.*"
)
_CALL = re.compile(r"[!&*]?[A-Za-z_$][\w.$:]{0,60}\(.*")
_INDEX = re.compile(r"[A-Za-z_$][\w.$]{0,60}\[.*")
_IDENT = re.compile(r"[!&*]?[A-Za-z_$][A-Za-z_$0-9.]*")
_PLACE = re.compile(
    r"(?:<[^>]*>|\[[A-Za-z_ ]+\]|\$+[A-Za-z_]+\d?|\$\d|\$\(.*|\$\{.*|\{\{?[^}]*\}?\}|%(?:\(\w{1,40}\))?[sdrif]|:[a-z_]+"
    r"|[*xX.\u2022_\-?]{3,}|\.\.\.|%[A-Z_]+%|@\w+@|\.{1,2}/[\w./\-]+|(?:https?|wss?|file)://[^\s@]+|~/[\w./\-]+|\(.*|#\{.*)+"
)
_PIECE = re.compile(rf"{PLACEHOLDER}|\$?\{{\{{?[^{{}}]*\}}\}}?|%\([a-z_]+\)s|%s|<[a-z_ ]+>")
_NUMBER = re.compile(r"[\d.,%/:\-]+")
_USUAL = re.compile(
    r"v?\d+(?:[:.]\d+)+[\w.+~\-]*|sha\d+:\w+|[A-Za-z]+(?:_(?:[a-z]{1,20}|\d{1,3}))+|</?\w+>|[#@:$.%&]*[A-Za-z]+[.:?]?|[/~][\w./\-]+"
    r"|[\w\-]+\.(?:py|js|ts|txt|md|json)|[A-Za-z]+(?:[./:\-][A-Za-z]+)+"
)
_PATTERN = re.compile(r"\[.+\]|\\[wdsWDSbB]|\(\?|\.\*")
_KEYWORDS = listed(
    "raise pass break continue throw print await new lambda not if input function async typeof self this return "
    "func fn def class let const var yield else in is and or for from import"
)
_NAMES = re.compile(
    r"[(,][ \t]{0,3}(?:const )?([A-Za-z_]\w{0,40})(?=[ \t]{0,3}[,):=])"
    r"|\b(?:let|var|const|for|as|def|with|auto|int|string|char\*?|val)[ \t]{1,3}([A-Za-z_]\w{0,40})"
    r"|^[ \t]{0,40}([A-Za-z_]\w{0,40})[ \t]{1,3}=[ \t]",
    re.MULTILINE,
)
_TELLS = re.compile(
    r"(?i:(?<![a-z])(?:pass(?:word|wd|phrase|code)?|pwd|pw|secrets?|tokens?|creds?|credentials?|key|auth|hash|salt|code|pin"
    r"|otp|cookie|session|value|input)(?![a-z]))|(?<=[a-z])(?:Pass(?:word|phrase)?|Secret|Token|Key|Auth|Hash|Code|Value)"
    r"(?![a-z])"
)


def is_secret(found: str, *, quoted: bool = False) -> bool:
    """Whether a value after `password:` and the like may be a secret.

    >>> [is_secret(said) for said in ("hunter", "os.environ['PW']", "None", "${PW}", "args.password", "1234")]
    [True, False, False, False, False, True]
    """
    said = _PIECE.sub("", found).strip()
    if len(said) < 3 or _PLACE.fullmatch(said) or not re.search(r"[^\W_]|[^\s\w]{4}", said):
        return False
    word = said.casefold().strip("\"'`.,:!?*&")
    if quoted:
        words = word.split()
        if said[-1] in ":?" and _TELLS.search(word):
            return False
        return word not in _TYPES and not (len(words) > 2 and _DEMANDS.intersection(words))
    if word in NO_SECRETS or word in _KEYWORDS or (said.isdigit() and len(said) < 4):
        return False
    return not any(pattern.fullmatch(said) for pattern in (_DOTTED, _CALL, _INDEX))


def is_odd(found: str, *, quoted: bool = False) -> bool:
    """Whether a value is a secret by its looks alone: no word, no number, no name of a program.

    >>> [is_odd(said) for said in ("world", "q7rt90", "50256", "COVID", "next_token", "dark mode")]
    [False, True, False, False, False, False]
    """
    said = _PIECE.sub("", found).strip()
    if not is_secret(found, quoted=quoted) or len(said) < 5 or _NUMBER.fullmatch(said) or " " in said:
        return quoted and len(re.sub(r"\D", "", said)) > 5
    if _USUAL.fullmatch(said) or _PATTERN.search(said):
        return False
    letters, digits = bool(re.search(r"[^\W\d_]", said)), bool(re.search(r"\d", said))
    turns = len(re.findall(r"[a-z][A-Z]", said))
    return letters and (digits or turns > 2 or re.search(r"\w[!@#$%^&*+]|[!@#$%^&*]\w", said) is not None)


def is_code(found: str) -> bool:
    """Whether digits are a code as people are given one."""
    return re.fullmatch(r"\d{4,8}|\d{3}[ \-]\d{3}", found) is not None


def is_prose(said: str) -> bool:
    """Whether the words after a key speak of a secret and are none.

    >>> is_prose("must be at least 8 characters"), is_prose("correct horse battery staple")
    (True, False)
    """
    return any(word.strip(".,;:!?*_") in _PROSE for word in said.casefold().split())


def names_a_value(found: str, text: str) -> bool:
    """Whether a bare word on the right of a program's `=` is a name of something, by its looks or as `text` uses it."""
    if _IDENT.fullmatch(found) is None:
        return False
    plain = re.search(r"\d", found) is None
    return (plain and _TELLS.search(found) is not None) or found in _defined(text)


@lru_cache(maxsize=8)
def _defined(text: str) -> frozenset[str]:
    return frozenset(name for match in _NAMES.finditer(text) for name in match.groups() if name)


def is_login(found: str) -> bool:
    """Whether a text is `user:secret` in base 64.

    >>> is_login("dXNlcjpwYXNz"), is_login("algebra2")
    (True, False)
    """
    try:
        said = base64.b64decode(found + "=" * (-len(found) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in said and said.isascii()
