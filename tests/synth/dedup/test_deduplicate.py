"""Which texts count as one task: the cases that broke other systems, and their kinds."""

import pytest

from synth.dedup import Index, Reason, deduplicate
from warehouse.errors import UserError

TRAIN = "A train travels 120 miles in 2 hours. What is its average speed in miles per hour?"


def kept(*texts, **options):
    return deduplicate(list(texts), **options).kept


def test_ten_identical_rows_leave_one_and_nine_references():
    done = deduplicate([TRAIN] * 10)
    assert done.kept == (0,)
    assert [(d.index, d.kept, d.similarity, d.reason) for d in done.duplicates] == [
        (n, 0, 1.0, Reason.EXACT) for n in range(1, 10)
    ]
    assert [(c.kept, len(c.members)) for c in done] == [(0, 9)]


@pytest.mark.parametrize(
    "other",
    [
        TRAIN.replace("120", "150"),
        TRAIN.replace("travels", "does not travel"),
        TRAIN.replace("2 hours", "2.5 hours"),
        TRAIN.replace("average", "largest").replace("speed", "speed, not the smallest,"),
        TRAIN.replace("120 miles in 2 hours", "2 miles in 120 hours"),
        TRAIN.replace("120", "120%"),
    ],
)
def test_a_changed_quantity_or_negation_is_a_new_task(other):
    assert kept(TRAIN, other) == (0, 1)


@pytest.mark.parametrize(
    "other",
    [
        TRAIN.upper(),
        "  " + TRAIN.replace(" ", "\n") + "\t",
        TRAIN.replace("2 hours", "two hours"),
        TRAIN.replace("travels", "covers"),
        "Please solve this. " + TRAIN,
        "In 2 hours a train travels 120 miles. What is its average speed in miles per hour?",
        TRAIN.replace("120", "120.0"),
    ],
)
def test_a_reworded_task_is_a_duplicate(other):
    assert kept(TRAIN, other) == (0,)


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Compute the value of {} and write only the result.", "(2+3)*4", "2+(3*4)"),
        ("Compute the value of {} and write only the result.", "7 - 3", "7 + 3"),
        ("Compute the value of {} at the point named above.", "x^2", "x*2"),
        ("Compute the value of {} for all the given n here.", "n!", "n"),
        ("Which integers satisfy {} and how many are there?", "3 < x", "3 > x"),
        ("Give the area for side {} in the drawing shown above.", "2²", "22"),
        ("What remains when {} in the integers?", "91 is divided by 7", "7 is divided by 91"),
        ('How many letters are in the word "{}" when spelled backwards?', "level", "lever"),
        ("What does this code print when it is run?\n```\nprint({})\n```", "a + b", "a  + b"),
        ("What does the call `{}` return when both lists are empty?", "f(a, b)", "f(b, a)"),
        ("Reverse the order of the letters in the word {} and answer.", "strawberry", "blueberry"),
        ("Sort these words in {} order: pear apple fig plum, and answer.", "ascending", "descending"),
        ("How many uppercase letters are in the text {} as written?", "HeLLo World", "Hello World"),
        ("How many uppercase letters are in the text {} as written?", "hello World", "hello world"),
        ("Tom has 3 apples, 5 pears and 4 plums in 2 bags. How many {} does Tom have in a bag?", "apples", "pears"),
        ("Compute the {} of the numbers 12, 15 and 18 and give the final answer as an integer.", "sum", "product"),
        ("Write a function that sorts the given list of words {}.", "by length", "by their last letter"),
        ("Write a function that turns a list of the given words{}.", "", " around recursively"),
        ("In the graph the edge goes from node {} and back never.", "Alpha to node Beta", "Beta to node Alpha"),
        ("Solve for the unknown {} is a known constant of the line.", "x where y", "y where x"),
    ],
)
def test_operators_literals_and_payload_words_are_compared_exactly(text, one, other):
    assert kept(text.format(one), text.format(other)) == (0, 1)
    assert kept(text.format(one), text.format(one)) == (0,)


def test_empty_and_short_texts_are_never_merged_unless_identical():
    assert kept("", "", " ", "rev abc?", "rev abd?", "Rev abc?", "sort ab?", "x") == tuple(range(8))
    assert kept("rev abc?", "rev abc?", "inc 120?", "inc 150?") == (0, 2, 3)


def test_likeness_does_not_chain():
    words = [f"word{chr(97 + n)}{chr(97 + n)}" for n in range(26)]
    sentence = [w.replace("word", "") * 3 for w in words]
    texts = ["With 12 boxes and 30 bags count " + " ".join(sentence[start : start + 14]) for start in (0, 3, 6)]
    done = deduplicate(texts, near=0.5)
    assert done.kept == (0, 2)
    assert [(d.index, d.kept) for d in done.duplicates] == [(1, 0)]


def test_different_golds_are_different_tasks_unless_the_texts_are_identical():
    other = TRAIN.replace("travels", "covers")
    assert kept(TRAIN, other, golds=["60", "61"]) == (0, 1)
    assert kept(TRAIN, other, golds=["60", "60"]) == (0,)
    assert kept(TRAIN, TRAIN, golds=["60", "61"]) == (0,)


def test_keys_name_the_texts():
    duplicate = deduplicate([TRAIN, TRAIN], keys=["a", "b"]).duplicates[0]
    assert (duplicate.key, duplicate.kept_key) == ("b", "a")


@pytest.mark.parametrize("options", [{"near": 0}, {"cosine": 1.5}, {"keys": ["a"]}, {"golds": ["1"]}])
def test_wrong_options_are_refused(options):
    with pytest.raises(UserError, match="must be"):
        deduplicate([TRAIN, TRAIN], **options)


def test_a_download_that_repeats_itself_is_seen():
    rows = [TRAIN.replace("120", str(n)) for n in range(100, 140)]
    done = deduplicate(rows * 100)
    assert done.kept == tuple(range(40))
    assert len(done.duplicates) == 3960


def test_lookup_does_not_add():
    index = Index()
    assert index.lookup(TRAIN) is None
    assert index.add(TRAIN) is None
    assert index.lookup(TRAIN.upper()) == (0, 1.0, Reason.EXACT)
    assert len(index) == 1
