"""ServiceRun: a cap on what one task may cost, of the decision service (docs/runs.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from .client import Client, Costs, Decided, Options


class ServiceRun:
    """A run of the service that is open. Its decisions count in it, in every run around it, and in the budgets."""

    def __init__(self, client: Client, id: str) -> None:
        self._client, self.id = client, id

    def decide(self, context: Any = None, **options: Unpack[Options]) -> Decided:
        """As `Client.decide` with this run."""
        options["run"] = self.id
        return self._client.decide(context, **options)

    def run(self, amounts: Costs | None = None, *, expire_after: int = 86_400, request_id: str | None = None,
            **costs: float) -> ServiceRun:
        """Opens a run inside this one. It ends with this one at the latest."""
        return self._client.run(amounts, expire_after=expire_after, parent=self.id, request_id=request_id, **costs)

    def close(self) -> dict[str, Any]:
        """No more decisions. Runs inside it close too; open decisions still count."""
        return self._client.close_run(self.id)

    @property
    def state(self) -> dict[str, Any]:
        return self._client.run_state(self.id)

    def __enter__(self) -> ServiceRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rein.ServiceRun {self.id}>"
