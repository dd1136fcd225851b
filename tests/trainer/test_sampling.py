from itertools import islice

import pytest
from torch.utils.data import BatchSampler
from trainer_stages import build, stage_file

from curriculum.schedulers import Draw
from trainer.sampling import CurriculumSampler, PastGroup


class Recording:
    """A scheduler that draws positions in order and keeps a diary of draws and observations."""

    name = "recording"

    def __init__(self):
        self.diary, self.next = [], 0

    def draw(self, n, step):
        self.diary.append(("draw", step))
        self.next += n
        return [Draw(self.next - n + i, 0.5, 1.0, "frontier") for i in range(n)]

    def observe(self, groups, step):
        self.diary.append(("observe", step, list(groups)))

    def state(self):
        return self.next

    def restore(self, state):
        self.next = state


def sampler(scheduler, **values):
    return CurriculumSampler(
        scheduler, **{"prompts_per_step": 2, "group_size": 3, "repeat": 1, "first": 0, "last": 3, **values}
    )


def test_groups_are_whole_and_the_length_counts_the_campaign():
    own = sampler(Recording())
    assert list(own) == [p for p in range(6) for _ in range(3)]
    assert len(sampler(Recording(), first=2)) == 18


def test_batches_are_drawn_lazily_and_one_more_at_the_end():
    scheduler = Recording()
    batches = iter(BatchSampler(sampler(scheduler), batch_size=6, drop_last=False))
    next(batches)
    assert scheduler.diary == [("draw", 0)]
    next(batches)
    assert scheduler.diary == [("draw", 0), ("draw", 1)]
    assert len(list(batches)) == 1
    assert [entry[1] for entry in scheduler.diary] == [0, 1, 2, 3]


def test_a_batch_is_repeated_for_every_update_on_it():
    assert list(islice(sampler(Recording(), repeat=2), 12)) == [0, 0, 0, 1, 1, 1] * 2


def test_state_carries_the_batch_drawn_ahead():
    first = sampler(Recording())
    list(first)
    first.observe([(0, 3, 1), (1, 3, 0)], 0)
    second = sampler(Recording(), first=3, last=4)
    second.restore(first.state())
    assert list(second) == [6, 6, 6, 7, 7, 7]


def test_only_a_tasks_first_group_and_exploration_are_unselected():
    scheduler = Recording()
    own = sampler(scheduler)
    own.draws(0)
    own.observe([(0, 3, 1), (1, 2, 0)], 0)
    own.draws(1)
    own.observe([(0, 3, 2), (7, 3, 2)], 1)
    seen = [group.selected for entry in scheduler.diary if entry[0] == "observe" for group in entry[2]]
    assert seen == [False, False, True, False]


@pytest.mark.parametrize("mu", [1, 2])
def test_groups_of_before_lie_before_the_stages_first_batch(tmp_path, warm_folder, train_tasks, judge, mu):
    """A scheduler's clock counts batches: with several updates on each it would else run ahead of the stage."""
    file = stage_file(tmp_path, warm_folder, first_step=100, num_iterations=mu)
    stage, told = build(file, train_tasks, judge), []
    stage.sampler._scheduler.observe = lambda groups, step: told.append(step)
    stage.replay([[PastGroup(0, 4, 1, "probe")]] * 3)
    stage.sampler.observe([], stage.sampler._first)
    assert told == [100 // mu - 3, 100 // mu - 2, 100 // mu - 1, 100 // mu]
