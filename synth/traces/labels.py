"""What secrets are called: keys of programs and files, and how sure each makes that a secret follows."""

from __future__ import annotations

import re
from typing import Literal

from synth.traces.lists import listed

Sure = Literal["word", "odd", "digits"]
"""What is a secret after a key: any word, only what is no word and no number, or a short run of digits."""

CORE = (
    r"pass(?:words?|wds?|phrases?|codes?|w|(?![A-Za-z]))|pwds?|pswd|psks?|(?<![A-Za-z])pw(?![A-Za-z])"
    r"|secrets?|tokens?|cookies?|sessions?(?:[ _\-]?ids?)?"
    r"|(?:api|auth|access|private|account|shared|storage|master|signing|encryption|secret|client|license)[ _\-]?keys?"
    r"|(?<=[A-Z]_)AUTH(?![a-zA-Z_])|passwort|kennwort|contrase(?:n|\u00f1)a|mot de passe"
    r"|senha|wachtwoord|has(?:l|\u0142)o|l\u00f6senord"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|\u30d1\u30b9\u30ef\u30fc\u30c9"
    r"|otp|cvv|cvc|pin(?:[ _\-]?code)?|(?:one[ -]time|verification|security|login)[ _\-]code|credentials?"
)
"""The part of a key that says so, as alternatives of a pattern."""
KEY = re.compile(rf"(?:{CORE})(?P<tail>[A-Za-z0-9_\-]{{0,24}})", re.IGNORECASE)
BEFORE = re.compile(r"[\w.\-]{0,60}\Z")

_WORDS = re.compile(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_]?[^\W\d_A-Z]+|[^\W\d_]+|\d+")
_SURE = listed(
    "password passwords passwd passwds passphrase passphrases passcode passcodes passw pwd pwds pswd psk pw "
    "secret secrets apikey apikeys passwort kennwort contrasena contraseña senha wachtwoord haslo hasło "
    "lösenord пароль 密码 パスワード passe authkey accesskey secretkey"
)
_KEYED = listed("api auth access private account shared storage master signing encryption secret client")
_DIGITS = listed("pin otp cvv cvc passcode passcodes")
_UNSURE = listed("pass auth token tokens cookie cookies session sessions credential credentials license")
_OWNED = listed(
    "default guest rabbitmq pg mysql my imap pop vpn wifi keystore "
    "auth access api refresh bearer csrf xsrf jwt oauth oauth2 github gitlab git slack bot npm pypi hf hub "
    "vault registry deploy service client security login reset personal aws azure gcp heroku discord telegram "
    "webhook secret private app device push csrfmiddleware become root admin db ssh sudo user mail smtp ftp "
    "ldap"
)
_COUNTED = listed(
    "max min num n eos bos pad unk sep cls mask next last first start end stop special image prev previous "
    "current total input output prompt completion no without any lexer parser peek expected"
)
_AFTER = listed(
    "prod dev test testing staging stage live old new current value values text plain base string str b64 "
    "base64 raw default confirmation confirm again repeat hash hashed encrypted code key keys id ids hex local "
    "primary secondary readonly admin root db s"
)
_ENDS = ("password", "passwd", "passphrase", "pass", "pwd", "secret", "token", "apikey")
_NO_PASS = listed("nopasswd getpass bypass compass encompass trespass surpass overpass underpass lowpass highpass")
_ARTICLE = re.compile(r"\b(?:the|a|an|his|her|their|its|our|this|that|each|every|no)[ \t]+\Z", re.IGNORECASE)


def sure(before: str, key: str) -> Sure | None:
    """What may be a secret after `key`; `before` is the text that leads to it; none where the key tells of no secret.

    >>> [sure("", key) for key in ("dbPassword", "X_TOKEN", "token", "password_file", "max_tokens", "pin")]
    ['word', 'word', 'odd', None, None, 'digits']
    """
    words = [word.casefold() for word in _WORDS.findall(key)]
    at = next((i for i in range(len(words) - 1, -1, -1) if _label(words[i])), None)
    if at is None:
        return None
    if words[at] == "auth" and not key.isupper():
        return None
    if any(not word.isdigit() and word not in _AFTER for word in words[at + 1 :]):
        return None
    said, owner = words[at], words[at - 1] if at else ""
    if _DIGITS & {said} or said in ("code",):
        return "digits" if said != "passcode" else "word"
    if said in ("key", "keys"):
        return "word" if owner in _KEYED else None
    if said.endswith(("token", "tokens")):
        if owner in _COUNTED or said[0] in "_0123456789":
            return None
        screamed = key.isupper() and len(words) > 1
        return "word" if owner in _OWNED or screamed or said not in ("token", "tokens") else "odd"
    if said in _UNSURE or said.endswith("pass"):
        return "word" if said[-4:] == "pass" and (owner in _OWNED or said != "pass") else "odd"
    if len(words) == 1 and said.startswith("secret") and _ARTICLE.search(before[-12:]):
        return "odd"
    return "word"


def _label(word: str) -> bool:
    known = word in _SURE or word in _UNSURE or word in _DIGITS or word in ("key", "keys", "code")
    return known or (word.endswith(_ENDS) and word not in _NO_PASS)
