"""Masking: no secret survives in any dress, masking again changes nothing, and tasks keep their numbers."""

from __future__ import annotations

import ipaddress
import json
import re
import string
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from synth.traces import mask
from synth.traces.patterns import luhn
from synth.traces.spoken import NO_SECRETS

SEPARATORS = ("", " ", "-", "\u00a0", "\u2011", "\u2009")
AROUND = st.sampled_from(["", "So: ", "see ", "(", "\u200b", "\u00fcber ", "1. ", "it's\n"])
AFTER = st.sampled_from(["", ".", ", ok?", ")", " and 12 more", "\n", "\u200b!", " [EMAIL_1]"])
NETWORKS = (
    ("4", 13), ("4", 16), ("4", 19), ("51", 16), ("2221", 16), ("34", 15), ("37", 15), ("36", 14), ("35", 16),
    ("6011", 16), ("65", 19), ("62", 16), ("5018", 13), ("6759", 18),
)  # fmt: skip
ALNUM = string.ascii_letters + string.digits


def _grouped(digits: str, sizes: list[int], separator: str) -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(digits[at : at + size])
        at += size
    return separator.join(part for part in [*parts, digits[at:]] if part)


@st.composite
def cards(draw: st.DrawFn) -> str:
    start, size = draw(st.sampled_from(NETWORKS))
    body = start + draw(st.text("0123456789", min_size=size - 1 - len(start), max_size=size - 1 - len(start)))
    digits = next(body + d for d in "0123456789" if luhn(body + d))
    sizes = draw(st.sampled_from([[4, 4, 4], [4, 6], [len(digits)], [4, 4, 4, 4]]))
    return _grouped(digits, sizes, draw(st.sampled_from(SEPARATORS)))


@st.composite
def emails(draw: st.DrawFn) -> str:
    local = draw(st.from_regex(r"[a-z\u00e9][a-z0-9._+\-]{0,20}[a-z0-9]", fullmatch=True))
    host = draw(st.from_regex(r"[a-z0-9][a-z0-9\-]{0,15}[a-z0-9](\.[a-z]{2,8}){1,2}", fullmatch=True))
    return local + draw(st.sampled_from(["@", "%40", "&#64;", " (at) ", " [at] "])) + host


@st.composite
def phones(draw: st.DrawFn) -> str:
    digits = draw(st.text("0123456789", min_size=10, max_size=10))
    bare = [f"({digits[:3]}) {digits[3:6]}-{digits[6:]}", f"{digits[:3]}-{digits[3:6]}-{digits[6:]}", f"+1{digits}"]
    bare += [f"+49 {digits[:3]} {digits[3:]}", f"0{digits[:3]} {digits[3:6]} {digits[6:]}", f"+44 (0){digits}"]
    called = [f"call me at {digits}", f"my number is {digits[:5]} {digits[5:]}", f"Tel.: {digits}"]
    return draw(st.sampled_from([*bare, *called]))


KEYS = st.one_of(
    st.from_regex(r"sk-(proj-)?[A-Za-z0-9]{20,40}", fullmatch=True),
    st.from_regex(r"sk_live_[A-Za-z0-9]{24}", fullmatch=True),
    st.from_regex(r"gh[pousr]_[A-Za-z0-9]{36}", fullmatch=True),
    st.from_regex(r"AKIA[A-Z0-9]{16}", fullmatch=True),
    st.from_regex(r"xox[bp]-[0-9]{10}-[A-Za-z0-9]{20}", fullmatch=True),
    st.from_regex(r"hf_[A-Za-z0-9]{34}", fullmatch=True),
    st.from_regex(r"eyJ[A-Za-z0-9_\-]{12,20}\.eyJ[A-Za-z0-9_\-]{12,20}\.[A-Za-z0-9_\-]{20,30}", fullmatch=True),
    st.from_regex(r"-----BEGIN RSA PRIVATE KEY-----\n[A-Za-z0-9+/]{64}\n-----END RSA PRIVATE KEY-----", fullmatch=True),
)
SECRETS = st.tuples(
    st.sampled_from(["password: ", "PASSWORD=", "api_key = ", '"secret": "', "client-secret=", "pwd:", "Bearer "]),
    st.text(ALNUM + "!#%+-_", min_size=8, max_size=24),
)
IPS = st.one_of(
    st.integers(0x01000000, 2**32 - 1).map(lambda n: str(ipaddress.IPv4Address(n))),
    st.integers(2**127, 2**128 - 1).map(lambda n: str(ipaddress.IPv6Address(n | 1 << 64 | 7))),
)
NAMES = st.from_regex(r"[A-Z][a-z]{3,9}q [A-Z][a-z]{3,9}x", fullmatch=True)
SAID = (
    "My name is {}.",
    "Dear {},",
    "I am {}.",
    "Hello,\nok\nKind regards,\n{}",
    "Customer name: {}",
    "Dr. {} said so.",
)


def _survives(secret: str, text: str) -> bool:
    """Whether any run of eight characters of a secret, or the whole of a short one, still stands in a text."""
    width = min(8, len(secret))
    return any(secret[i : i + width] in text for i in range(len(secret) - width + 1))


def _masked(before: str, secret: str, after: str) -> str:
    found = mask([before + secret + after, f"again {secret} there"])
    assert mask(found.texts).texts == found.texts
    assert sum(found.counts.values()) >= 1
    return "\n".join(found.texts)


@settings(max_examples=60, deadline=None)
@given(AROUND, cards(), AFTER)
def test_cards_vanish(before: str, card: str, after: str):
    text = _masked(before if before != "1. " else "", card, after)
    digits = re.sub(r"\D", "", card)
    assert digits not in re.sub(r"\D", "", text)
    assert not _survives(card, text)


@settings(max_examples=60, deadline=None)
@given(AROUND, st.one_of(emails(), KEYS, IPS), AFTER)
def test_addresses_and_keys_vanish(before: str, secret: str, after: str):
    assert not _survives(secret, _masked(before + " " if before else "", secret, after))


@settings(max_examples=50, deadline=None)
@given(AROUND, phones(), AFTER)
def test_phones_vanish(before: str, phone: str, after: str):
    text = _masked(before if before != "1. " else "", phone, after)
    assert re.sub(r"\D", "", phone)[-7:] not in re.sub(r"\D", "", text)


@settings(max_examples=50, deadline=None)
@given(AROUND, SECRETS, AFTER)
def test_labelled_secrets_vanish(before: str, secret: tuple[str, str], after: str):
    label, value = secret
    assume(value.strip("!").casefold() not in NO_SECRETS)
    value += "7" if label == "Bearer " else ""
    close = '"' if label.endswith('"') else ""
    assert value not in "\n".join(mask([f"{before}{label}{value}{close}\n{after}"]).texts)


@settings(max_examples=50, deadline=None)
@given(NAMES, st.sampled_from(SAID))
def test_announced_names_vanish_wherever_they_come_again(name: str, said: str):
    first, last = name.split()
    found = mask([said.format(name), f"{first} wants 12 apples, {last} none; {name}'s box holds 7."])
    text = "\n".join(found.texts)
    assert not any(part in text for part in (first, last))
    assert "12 apples" in text
    assert "holds 7" in text
    assert len(set(re.findall(r"\[NAME_\d+\]", text))) <= 2


@settings(max_examples=40, deadline=None)
@given(st.one_of(cards(), emails(), KEYS))
def test_other_scripts_and_invisible_characters_hide_nothing(secret: str):
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in secret)
    dotted = "\u200b".join(secret)
    for dressed in (wide, dotted):
        text = "\n".join(mask([f"it is {dressed} ."]).texts)
        assert not _survives(secret, text)
        assert not _survives(wide, text)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_masking_ends_and_is_idempotent_on_any_text(text: str):
    once = mask([text]).texts
    assert mask(once).texts == once


@pytest.mark.parametrize(
    "text",
    [
        "Compute 1234567890123 - 12 and 3.14 * 2; a[::2], x[1:2:3], 12:30:45, 10 / 200 / 3000.",
        "def f(name: str, token: str) -> str:\n    token = tokens.pop()\n    return {'key': token}",
        "What is 555 + 123 + 4567? Give the sum of 100, 200, 300 and 4000.",
        "print('Hello World!')  # Hello, World!",
        "version 1.2.3, section 4.5.6.7.8, the ratio 3:4:5",
        "@property\ndef total(self): ...",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 and 4 8 15 16 23 42 4 8 15 16",
        "1000 2000 3000 4000 5000; the sum of digits of 123456789123456789 is 90",
        "Let the number 12345678 be n; the number is 10000000; number: 314159265358979",
        "0010 1101 0110 0011, 0.1234.5678, 1234.5678.9012, 00 11 22 33 44",
        r"\frac{1}{2} \neq \theta \times \text{Dear} \nabla x, 50%20 of it, a &lt; b, '\\n'.join(rows)",
        "x AT y, the password is required and my password is too long; key=value, P(token|context)",
    ],
)
def test_what_is_no_secret_stays(text: str):
    assert mask([text]).texts == (text,)


HIDDEN = "Zx9!kqTr"
SPELLED = (
    "mysql -p{} db", "mysql -u root -p{} -h x", "mysqldump -uroot -p'{}' db", "mysql --user=root --password={}",
    "mysql -u root \\\n  -p{}", "sshpass -p {} ssh x", "sshpass -p'{}' ssh x", "docker login -u bob -p {} r.example",
    "mongo -u bob -p {} --quiet", "7z x -p{} a.7z", "zip -P {} a.zip", "unzip -P{} a.zip", "redis-cli -a {} ping",
    "ldapsearch -w {} -D cn=x", "smbclient -U bob%{} //x/y", "htpasswd -b file bob {}", "net use x: /user:bob {}",
    "openssl rsa -passin pass:{} -in k", "curl -u bob:{} https://x.org", "curl -ubob:{} x", "curl -u 'bob:{}' x",
    'curl -sS -X POST -u "bob:{}" x', "curl --user bob:{} x", "curl --user=bob:{} x", "curl --proxy-user bob:{} x",
    "wget --http-password={} x", "PGPASSWORD={} psql -h x", "export PGPASSWORD='{}'", "env MYSQL_PWD={} mysql",
    "REDISCLI_AUTH={} redis-cli", 'DB_PASSWORD="{}"', "PASS={}", "GITHUB_TOKEN={} make", "SECRET_KEY = '{}'",
    "password:\n  {}", "password: \n    {}\nuser: x", "password:\r\n  {}\r\n", "password: # prod\n  {}",
    "db:\n  password:\n    {}",
    "password: |\n  {}\n", "password: >-\n  {}\nuser: bob", "api_key: |\n    {}\n    {}x\nother: 1",
    "- password: |-\n    {}",
    "secret:\n- {}\n- {}2\n", "db_password:\n  - {}\n", "password: !!str {}", "password: &pw {}", "password: '{}'",
    '{{"password":\n "{}"}}', '{{"password"\n: "{}"}}', '{{\\"password\\": \\"{}\\"}}',
    '{{\\\\\\"pwd\\\\\\": \\\\\\"{}\\\\\\"}}',
    '"{{\\u0022password\\u0022: \\u0022{}\\u0022}}"', 
    '{{"file": "password:\\n  {}\\nuser: x"}}', '<add key="password" value="{}"/>',
    "Authorization: Token {}{}", "Authorization: {}{}", "X-Api-Key: {}", "machine x login bob password {}",
    "requirepass {}", "IDENTIFIED BY '{}'", "ALTER USER bob WITH PASSWORD '{}'", "auth=('bob', '{}')",
    'HTTPBasicAuth("bob", "{}")', "user: bob / pass: {}", "ansible_become_pass: {}", "postgres://u:{}@h/db",
)  # fmt: skip


@pytest.mark.parametrize("spelled", SPELLED)
def test_secrets_vanish_as_commands_files_and_headers_spell_them(spelled: str):
    text = spelled.format(*[HIDDEN] * spelled.count("{}"))
    for before, after in (("", ""), ("$ cd x\n", "\nmore"), ("Ann said:\n", "\n\n12 apples")):
        found = mask([f"{before}{text}{after}"])
        assert not _survives(HIDDEN[:6], found.texts[0])
        assert mask(found.texts).texts == found.texts
        assert after.strip() in found.texts[0]


def test_a_login_in_base_64_is_one_only_where_it_reads_as_one():
    for header in (
        "Authorization: Basic {}",
        "authorization: basic {}",
        '"Authorization": "Basic {}"',
        "curl -H 'X: Basic {}'",
    ):
        assert "dXNlcjpwYXNz" not in mask([header.format("dXNlcjpwYXNz")]).texts[0]
    for honest in ("a basic algebra2 course", "Basic Income2024 trial", "basic arithmetic: 12 + 5"):
        assert mask([honest]).texts == (honest,)


@pytest.mark.parametrize(
    "text",
    [
        "password = input()\npassword = getpass.getpass()\nif password == other: pass",
        "password = os.environ['PW']; password = request.form['password']; password = args.password",
        "def check(password: str, token: Optional[str] = None) -> bool:\n    self.password = password",
        "password = None\npassword: required\ntoken = tokens[i]; lambda token: token + 1",
        "password:\n  type: string\n  minLength: 8\ntoken:\n  required\n",
        "password:\n  - at least 8 characters\n  - one digit\n",
        "while password:\n    password = password[1:]\nif token:\n    total += 1",
        "else if password:\n  return True\nfor token in line.split():\n    print(token)",
        "Enter your password:\nThen press enter.\n\nWhat is the password?\nIt is long.",
        "max_tokens=1024, max_token: 2048, eos_token = '</s>', pad_token: <pad>, tokens: 512, token_count = 5000",
        "ssh -p 2222 host; ssh -p2222 h; mkdir -pv some/where; docker run -p 8080:8000 x; nmap -p1-65535 h; tar -pxf x",
        "patch -p1 < a.diff; cp -pr a b; mysql -p db; mysql -P 3306 db; git push -u origin main; sort -u file:other",
        "curl -u bob https://x.org; curl -o out.txt https://x.org; date -u +%H:%M; python -u script.py",
        "curl -u $USER:$PASS x; PGPASSWORD=$PW psql; PGPASSWORD= psql; password: ${DB_PASSWORD}; password: <yours>",
        "Authorization: required; pass: 3, fail: 2; PASS: test_one; pass_rate: 0.9375, pass@1: 0.3333; PASS = 3",
        "password must be at least 8 characters; password.length >= 12; identified by name; log in with password",
        "the secret: 12 is a number; pin = 5; the answer is 4711; key: value; password = '********'",
    ],
)
def test_code_and_numbers_that_only_name_secrets_stay(text: str):
    assert mask([text]).texts == (text,)


def test_a_corpus_keeps_its_numbers(corpora: Path):
    rows = (corpora / "gsm8k_train.jsonl").read_text(encoding="utf-8").splitlines()[:800]
    kinds: dict[str, int] = {}
    for row in rows:
        for kind, n in mask([json.loads(row)["question"]]).counts.items():
            kinds[kind] = kinds.get(kind, 0) + n
    assert set(kinds) <= {"NAME", "TOKEN"}
    assert kinds.get("TOKEN", 0) <= 1
