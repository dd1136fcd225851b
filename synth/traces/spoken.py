"""Whether what stands where a secret would is one: code, types, placeholders and numbers of programs are none."""

from __future__ import annotations

import base64
import binascii
import re

NO_SECRETS = frozenset(
    re.findall(
        r"\S+",
        "none null nil true false undefined required optional string str text bytes integer int number boolean bool "
        "object varchar secretstr any password passwd passphrase passcode pwd secret secrets token tokens key cookie "
        "cookies session sessions redacted masked hidden missing empty unset incorrect invalid wrong expired",
    )
)
_ROOTS = "self|this|cls|args|kwargs|config|cfg|conf|settings|request|req|os|env|environ|options|opts|params|process"
_CODE = re.compile(
    rf"(?:(?:{_ROOTS}|form|data|user|conn|session|secrets|getpass|input)\.[A-Za-z_][\w.]*|[A-Za-z_.]+\[.*|[A-Za-z_.]+\(.*)"
)
_PLACE = re.compile(r"<[^>]*>|\[[A-Za-z_ ]+\]|\$\{?[A-Z_]+\}?|\$\{[^}]*\}|\{\{?[^}]*\}?\}|\*+")
_NUMBER = re.compile(r"[\d.,%/\-]+")


def is_secret(found: str) -> bool:
    """Whether a value after `password:` and the like may be a secret.

    >>> [is_secret(said) for said in ("hunter", "os.environ['PW']", "None", "${PW}", "args.password", "1234")]
    [True, False, False, False, False, True]
    """
    quoted = found[:1] in "\"'`"
    said = found.strip("\"'`").strip()
    if _PLACE.fullmatch(said):
        return False
    return quoted or (said.casefold().rstrip(".,:!?") not in NO_SECRETS and _CODE.fullmatch(said) is None)


def is_odd(found: str) -> bool:
    """Whether a value is a secret by its looks alone: no word and no number."""
    return is_secret(found) and re.search(r"[\d!@#$%^&*]", found) is not None and _NUMBER.fullmatch(found) is None


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
