"""The steps as Prefect tasks: what flows call."""

from __future__ import annotations

from flows.orchestration import step
from flows.steps import calibration, evaluation, importing, planning, reporting, synthesis, training, warm_start

import_source = step("import")(importing.import_source)
make_tasks = step("synthesise")(synthesis.make_tasks)
start_policy = step("warm start")(warm_start.start_policy)
calibrate = step("calibrate")(calibration.calibrate)
plan_mixture = step("plan")(planning.plan_mixture)
train_stage = step("train")(training.train_stage)
evaluate_policy = step("evaluate")(evaluation.evaluate_policy)
write_report = step("report")(reporting.write_report)
