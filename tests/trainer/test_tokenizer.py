from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from trainer.tokenizer import ALPHABET, build_tokenizer, readable

TOKENIZER = build_tokenizer()


@given(st.text(alphabet=ALPHABET, max_size=40))
def test_every_readable_text_survives_a_round_trip(text):
    ids = TOKENIZER(text)["input_ids"]
    assert len(ids) == len(text)
    assert TOKENIZER.decode(ids) == text
    assert TOKENIZER.unk_token_id not in ids


def test_batches_pad_on_the_left_and_skip_special_tokens():
    batch = TOKENIZER(["ab", "abcd"], padding=True)
    assert batch["input_ids"][0][:2] == [TOKENIZER.pad_token_id] * 2
    end = TOKENIZER.eos_token_id
    assert TOKENIZER.batch_decode([[*TOKENIZER("ba")["input_ids"], end]], skip_special_tokens=True) == ["ba"]


def test_a_saved_tokenizer_is_the_same_tokenizer(tmp_path: Path):
    TOKENIZER.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    text = "f 1>5 2>7?\n x[::-1]|&^#_'!"
    assert again(text)["input_ids"] == TOKENIZER(text)["input_ids"]
    assert again.decode(again(text)["input_ids"]) == text
    assert (again.padding_side, again.pad_token_id, again.eos_token_id) == ("left", 0, 1)


def test_other_characters_are_unknown():
    assert not readable("É")
    assert readable("rev abc?")
    assert TOKENIZER("É")["input_ids"] == [TOKENIZER.unk_token_id]
