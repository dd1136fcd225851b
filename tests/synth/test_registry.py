"""The registries: whole before anyone reads them, and honest about a load that failed."""

from __future__ import annotations

import threading
import time

import pytest

from synth.registry import NameTaken, Registry


def test_threads_that_come_while_one_loads_see_the_whole_registry():
    def load():
        for i in range(20):
            found.add(f"check{i:02}", i, file="here")
            time.sleep(0.002)

    found: Registry[int] = Registry("check", group="gradatim.none", see="", load=load)
    seen: list[list[int]] = []
    threads = [threading.Thread(target=lambda: seen.append(list(found))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [list(range(20))] * 8


def test_what_is_being_loaded_may_look_itself_up():
    def load():
        found.add("first", 1, file="here")
        assert found.get("first") == 1
        found.add("second", 2, file="here")

    found: Registry[int] = Registry("check", group="gradatim.none", see="", load=load)
    assert list(found) == [1, 2]


def test_a_load_that_failed_fails_again_instead_of_leaving_half():
    def load():
        found.add("only", 1, file="one.py")
        found.add("only", 2, file="two.py")

    found: Registry[int] = Registry("check", group="gradatim.none", see="", load=load)
    for _ in range(2):
        with pytest.raises(NameTaken):
            list(found)
