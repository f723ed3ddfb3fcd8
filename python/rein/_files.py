"""Atomic file writes: after a crash or on a full disk the old file is intact."""

from __future__ import annotations

import os
import stat


def write_whole(what: str, path: str | os.PathLike[str], data: bytes, *, mode: int = 0o666) -> None:
    """Writes and syncs a temporary file, renames it over the old one, and syncs the folder.

    A link stays a link. A device or a pipe is written directly. The new file has the permissions of
    the old one, or `mode` minus the umask. Messages start with `what`.
    """
    name = os.path.realpath(os.fsdecode(path))
    folder = os.path.dirname(name)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{what}: there is no folder {folder}; make it first")
    if os.path.isdir(name):
        raise IsADirectoryError(f"{what}: {name} is a folder; accepted: the path of a file")
    exists = os.path.exists(name)
    if exists and not os.access(name, os.W_OK):
        raise PermissionError(f"{what}: {name} is not writable; accepted: a writable file, or another path")
    if exists and not os.path.isfile(name):
        with open(name, "wb") as file:
            file.write(data)
        return
    temporary = os.path.join(folder, f".rein-{os.getpid()}-{os.urandom(6).hex()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            if exists:
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(name).st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # the folder is writable but not readable
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems cannot sync folders; the file itself is synced
    finally:
        os.close(handle)
