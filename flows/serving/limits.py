"""How many tasks of one tag a server runs at once: one on the GPU, one upkeep of the warehouse."""

from __future__ import annotations

from collections.abc import Mapping

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.exceptions import ObjectAlreadyExists


async def make_limits(limits: Mapping[str, int]) -> None:
    """Give the server that `PREFECT_API_URL` names a limit for each tag; one that it has already stays as it is.

    A task waits in Prefect until a place is free; a process that dies gives its place back within a minute.
    """
    async with get_client() as client:
        for tag, limit in limits.items():
            try:
                await client.create_global_concurrency_limit(
                    GlobalConcurrencyLimitCreate(name=f"tag:{tag}", limit=limit)
                )
            except ObjectAlreadyExists:
                continue
