"""Deployments served from one process: a Prefect server of our own, the deployments of `prefect.yaml`, and a worker.

Prefect reads its settings when it is first imported, so `flows.serving.work` is imported once the server is there.
"""

from flows.serving.deployments import POOL, deployments_file, read_deployments, register
from flows.serving.server import server_at

__all__ = ["POOL", "deployments_file", "read_deployments", "register", "server_at"]
