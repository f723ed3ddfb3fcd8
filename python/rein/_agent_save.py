"""How an agent is saved and goes on, bit for bit."""

from __future__ import annotations

import os
from typing import Any, Self

from . import _own, _rein, _saved
from ._agent_parts import AgentParts
from ._errors import Error


class AgentSaves(AgentParts):
    __slots__ = ()

    def snapshot(self) -> bytes:
        """All state as bytes, with spec, sizes, options and seed. Keep it as secret as the seed."""
        return self._engine.snapshot()

    @classmethod
    def restore(cls, snapshot: bytes | bytearray | memoryview, *, oracle: _own.Oracle | None = None,
                potential: _own.Potential | None = None) -> Self:
        """Returns an agent that continues exactly where the snapshot was taken.

        Pass your own oracle and potential again. The oracle's load() gets what its save() returned. A
        potential with another name or other slopes is refused.
        """
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise Error(f"restore: found {type(snapshot).__name__}; accepted: the bytes of snapshot()")
        agent = cls.__new__(cls)
        agent._adopt(_rein.Engine.restore(bytes(snapshot), _own.own_of(oracle, potential)), oracle, potential)
        return agent

    def __reduce__(self) -> tuple[Any, ...]:
        own = self.snapshot(), self._oracle, self._potential
        return revive, (type(self), *own), getattr(self, "__dict__", None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the snapshot atomically. With your own oracle or potential, the file is a pickle."""
        _saved.write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: bool = False) -> Self:
        """Reads what save() wrote. A file with your own pieces needs `trusted=True`: a pickle runs code."""
        found: Self = _saved.read(path, cls, trusted)
        return found


def revive(cls: type[AgentSaves], snapshot: bytes, oracle: Any, potential: Any = None) -> AgentSaves:
    return cls.restore(snapshot, oracle=oracle, potential=potential)
