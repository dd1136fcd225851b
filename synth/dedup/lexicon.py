"""Words that carry no subject, words that say a number, words that turn a task around."""

from __future__ import annotations


def words_in(text: str) -> frozenset[str]:
    """The words of `text`, as a set."""
    return frozenset(text.split())


FUNCTION_WORDS = words_in(
    """a an the of to in on at by for from with as and or but so if then than that this these those there here it its
    he she they them him her his hers their theirs you your yours we our us i my me who whom whose which what when where
    how why is are was were be been being am do does did done has have had having can could will would shall should may
    might must also just very please kindly now about into onto up out over per each every any some such own same
    many much more most let s t d ll re ve question answer"""
)
"""Words dropped before overlap is measured."""

PREFACE_WORDS = words_in(
    """task problem puzzle exercise challenge solve help try think consider following carefully hello hi sure"""
)
"""Words that introduce a task and say nothing of it; dropped like function words."""

NEGATIONS = words_in(
    """not no never none nothing nobody neither nor without cannot unless except excluding lacks lack lacking isn't
    aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't hasn't haven't hadn't
    ain't"""
)
"""Words whose number must be equal in two texts that ask the same."""

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBER_WORDS: dict[str, int] = {word: value for value, word in enumerate(_UNITS.split())}
NUMBER_WORDS |= {"seventeen": 17, "eighteen": 18, "nineteen": 19}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
"""Cardinal words below one hundred."""

MAGNITUDES: dict[str, int] = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
"""Words that multiply the number before them."""

RATIO_WORDS: dict[str, int] = {
    "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "half": 2, "halves": 2, "halved": 2,
    "thrice": 3, "triple": 3, "tripled": 3, "triples": 3, "third": 3, "thirds": 3,
    "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "quadruple": 4,
    "threefold": 3, "twofold": 2, "fourfold": 4, "fivefold": 5, "tenfold": 10, "decade": 10, "decades": 10,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "dozen": 12, "dozens": 12,
}  # fmt: skip
"""Words for multiples, parts and places, by the number in them: `half` and `twice` both say 2."""

_AXES: tuple[tuple[str, str], ...] = (
    ("more greater larger bigger higher longer older taller", "less fewer smaller lower shorter younger"),
    ("most largest biggest greatest highest maximum max longest oldest", "least smallest lowest minimum min youngest"),
    ("increase increases increased rise rises rose grow grows", "decrease decreases decreased drop drops fell"),
    ("add adds added plus sum", "subtract subtracts subtracted minus difference"),
    ("multiply multiplied multiplies product", "divide divided divides quotient"),
    ("before earlier prior", "after later following"),
    ("first", "last final"),
    ("even", "odd"),
    ("ascending increasing", "descending decreasing"),
    ("buy buys bought purchase purchases purchased", "sell sells sold"),
    ("gain gains gained earn earns earned", "lose loses lost spend spends spent"),
    ("row rows", "column columns"),
    ("left", "right"),
    ("inside", "outside"),
    ("true", "false"),
    ("always", "sometimes"),
    ("all", "some"),
    ("perimeter circumference", "area"),
    ("mean average", "median"),
    ("prefix starts start begins", "suffix ends end"),
    ("uppercase upper", "lowercase"),
    ("union", "intersection"),
    ("horizontal horizontally", "vertical vertically"),
    ("clockwise", "counterclockwise anticlockwise"),
    ("prime", "composite"),
    ("percent", "percentile"),
)  # fmt: skip

POLES: dict[str, tuple[int, int]] = {
    word: (axis, pole) for axis, poles in enumerate(_AXES) for pole, words in enumerate(poles) for word in words.split()
}
"""Word to (axis, pole): two texts on opposite poles of one axis ask different things."""

_OPERATIONS = (
    "sum total add adds added plus altogether",
    "product multiply multiplied multiplies",
    "difference subtract subtracts subtracted minus",
    "quotient divide divided divides",
    "remainder modulo mod",
    "mean average",
    "median",
    "mode",
    "range",
    "gcd divisor",
    "lcm multiple",
    "maximum max largest biggest greatest highest",
    "minimum min smallest least lowest",
    "square squared squares",
    "cube cubed cubes",
    "root",
    "factorial",
    "logarithm",
    "derivative",
    "integral",
    "perimeter circumference",
    "area",
    "volume",
    "sort sorts sorted",
    "reverse reverses reversed",
    "union",
    "intersection",
    "permutation permutations",
    "combination combinations",
    "sine sin",
    "cosine cos",
    "binary",
    "hexadecimal",
    "octal",
)

OPERATIONS: dict[str, int] = {word: place for place, words in enumerate(_OPERATIONS) for word in words.split()}
"""Word to the operation it names: two texts that name different ones ask different things."""

_SYNONYMS = (
    "buy buys bought purchase purchases purchased buying purchasing acquire acquires acquired",
    "make makes made produce produces produced create creates created making producing",
    "get gets got receive receives received getting obtain obtains obtained",
    "give gives gave hand hands handed giving",
    "eat eats ate consume consumes consumed eaten",
    "use uses used utilize utilizes utilized using utilizing",
    "travel travels traveled travelled cover covers covered traveling",
    "start starts started begin begins began",
    "finish finishes finished complete completes completed",
    "need needs needed require requires required",
    "total altogether overall",
    "find determine calculate compute evaluate",
    "remain remains remaining left",
    "number amount quantity count",
    "big large",
    "small little tiny",
    "car automobile vehicle",
    "child kid",
    "friend buddy",
    "shop store",
    "money cash",
    "write implement",
    "function method procedure",
    "list array",
    "common shared",
    "speed velocity",
    "price cost",
    "day daily",
    "week weekly",
    "year yearly annually",
    "picture image photo",
    "begin start",
    "show display print",
    "remove delete",
    "tell say state",
    "entire whole",
    "start initially",
    "own owns have has had possess possesses",
)


def stem(word: str) -> str:
    """`word` without a common English inflection: a key for overlap, not a dictionary form.

    >>> [stem(w) for w in ("boxes", "walked", "glasses", "running", "cities")]
    ['box', 'walk', 'glass', 'run', 'city']
    """
    if len(word) <= 3:
        return word
    if word.endswith(("'s", "’s")):
        return stem(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for suffix in ("sses", "xes", "ches", "shes"):
        if word.endswith(suffix):
            return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for suffix in ("ing", "ed"):
        root = word[: -len(suffix)]
        if word.endswith(suffix) and len(root) >= 3 and any(letter in "aeiouy" for letter in root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word


def _canonical() -> dict[str, str]:
    table: dict[str, str] = {}
    for group in _SYNONYMS:
        words = group.split()
        for word in words:
            table.setdefault(word, words[0])
    return table


CANONICAL: dict[str, str] = _canonical()
"""Word to the first word of its group of synonyms."""
