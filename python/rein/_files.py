"""Files that are written whole: a crash or a full disk leaves the old file, never a part of a new one."""

from __future__ import annotations

import os
import stat


def write_whole(what: str, path: str | os.PathLike[str], data: bytes, *, mode: int = 0o666) -> None:
    """A temporary file in the same folder, synced, takes the old one's place; then the folder is synced.

    A link stays a link, and a device or a pipe is written directly. The new file has the permissions of
    the old one, or `mode` less the umask. `what` opens the messages.
    """
    name = os.path.realpath(os.fsdecode(path))
    folder = os.path.dirname(name)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{what}: there is no folder {folder}; make it first")
    if os.path.isdir(name):
        raise IsADirectoryError(f"{what}: {name} is a folder; accepted: the path of a file")
    exists = os.path.exists(name)
    if exists and not os.access(name, os.W_OK):
        raise PermissionError(f"{what}: {name} may not be written; accepted: a file that may be, or another path")
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
        return  # a folder that may be written and not read
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems cannot; the file itself is synced
    finally:
        os.close(handle)
