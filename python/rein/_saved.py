"""An agent as a file: its snapshot, or a pickle with a checksum if it has pieces of your own."""

from __future__ import annotations

import hashlib
import os
import pickle
from typing import Any

from ._errors import CorruptState, Error
from ._files import write_whole

_PICKLED = b"rein agent with an oracle of its own, by pickle\n"


def write(path: str | os.PathLike[str], agent: Any) -> None:
    """Writes the file atomically."""
    own = agent.oracle is not None or agent.potential is not None
    data = _sealed(pickle.dumps(agent, protocol=4)) if own else agent.snapshot()
    write_whole("save", path, data, mode=0o600)  # readable by the owner only: it holds the seed


def read(path: str | os.PathLike[str], kind: type[Any], trusted: bool) -> Any:
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        data = file.read()
    if not data.startswith(_PICKLED):
        return kind.restore(data)
    if not trusted:
        raise Error(f"load: {name} is a pickle, since it holds your own oracle or potential, and reading a pickle runs "
                    "its code; accepted: trusted=True, for a file that you made")
    pickled = data[len(_sealed(b"")):]
    if data != _sealed(pickled):
        raise CorruptState(f"load: {name} does not match its checksum; it was cut or changed")
    agent = pickle.loads(pickled)
    if not isinstance(agent, kind):
        raise CorruptState(f"load: {name} holds {type(agent).__name__}; accepted: {kind.__name__}")
    return agent


def _sealed(pickled: bytes) -> bytes:
    return _PICKLED + hashlib.sha256(pickled).digest() + pickled
