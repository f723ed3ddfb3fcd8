"""Checks single arguments: a number, an integer, a string, an array.

A wrong value is refused before anything changes. The message says what was found and accepted.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Set
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ._errors import Error

T = TypeVar("T")

_EXACT = 2**53  # whole numbers up to here are exact as float64
_F8 = np.dtype(np.float64)
_HELD: dict[type[np.integer[Any]], tuple[int, int]] = {
    kind: (int(np.iinfo(kind).min), int(np.iinfo(kind).max)) for kind in (np.int32, np.int64, np.uint64)}
_USUAL = (list, tuple, np.ndarray)
_NUMBERS = "numbers (an array, a list, a DataFrame row)"
_WHOLE = "whole numbers (floats only up to 2^53, where they are exact)"


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def number(what: str, value: Any) -> float:
    try:
        if not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0 and not _is_text(value):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise Error(f"{what}: found {short(value)}; accepted: a number")


def _is_text(value: Any) -> bool:
    """An array of one text, which float() would parse."""
    return isinstance(value, np.ndarray) and isinstance(value.item(), (str, bytes))


def whole(what: str, value: Any, bits: int, *, signed: bool = True) -> int:
    """An integer that fits the C++ type. The library itself checks the accepted range."""
    found = _whole(value)
    if found is None or not (-2**bits if signed else -1) < found < 2**bits:
        accepted = f"below 2^{bits} in size" if signed else f"0 to 2^{bits} - 1"
        raise Error(f"{what}: found {short(value)}; accepted: a whole number, {accepted}")
    return found


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return int(number) if abs(number) <= _EXACT and number.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def text(what: str, value: Any) -> str:
    try:
        if isinstance(value, str) and value.encode() is not None:
            return str(value)
    except UnicodeEncodeError:
        pass
    raise Error(f"{what}: found {short(value)}; accepted: a string")


def instance(what: str, value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise Error(f"{what}: found {short(value)}; accepted: a rein.{kind.__name__}")
    return value


def pair(what: str, value: Any, accepted: str) -> tuple[Any, Any]:
    try:
        if not isinstance(value, (str, bytes, Mapping, Set)):
            first, second = value
            return first, second
    except (TypeError, ValueError):
        pass
    raise Error(f"{what}: found {short(value)}; accepted: {accepted}")


def array(what: str, value: Any) -> npt.NDArray[np.float64]:
    """`value` as a contiguous array of float64; the same object if it already is one."""
    if type(value) is np.ndarray and value.dtype is _F8 and value.flags.c_contiguous:
        return value
    try:
        return np.ascontiguousarray(_plain(what, value, _NUMBERS), np.float64)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise _refusal(what, wrong, _NUMBERS) from wrong


def integers(what: str, value: Any, dtype: type[np.integer[Any]]) -> npt.NDArray[Any]:
    """`value` as a contiguous array of integers. Nothing is rounded, truncated or wrapped."""
    try:
        found = _plain(what, value, _WHOLE)
        if found.dtype == dtype:
            return np.ascontiguousarray(found)
        if found.dtype.kind == "f" and not hasattr(value, "dtype"):
            found = np.array(value, object)  # a list of large integers, which numpy has turned into floats
        each: list[Any] = found.ravel().tolist()
        if found.dtype.kind not in "iu":
            each = [_whole(item) for item in each]
        low, high = _HELD[dtype]
        if each and (None in each or min(each) < low or max(each) > high):
            raise Error(f"{what}: found {short(value)}; accepted: {_WHOLE}, {low} to {high}")
        return np.array(each, dtype).reshape(found.shape)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise _refusal(what, wrong, _WHOLE) from wrong


def _plain(what: str, value: Any, accepted: str) -> npt.NDArray[Any]:
    """np.asarray, but refuses what numpy would silently convert: text, dates, complex, masks."""
    usual = type(value) in _USUAL
    given = list(value) if not usual and isinstance(value, Iterator) else value
    found = np.asarray(given)
    strange = not usual and (isinstance(given, (Mapping, Set)) or np.ma.is_masked(given))
    if strange or found.dtype.kind not in "biufO" or (found.dtype.kind == "O" and _has_text(found)):
        raise Error(f"{what}: found {short(value)}; accepted: {accepted}")
    return found


def _has_text(found: npt.NDArray[Any]) -> bool:
    """A column of objects may hold "4", which numpy would parse."""
    return any(isinstance(item, (str, bytes)) for item in found.ravel().tolist())


def _refusal(what: str, wrong: Exception, accepted: str) -> Exception:
    return wrong if isinstance(wrong, Error) else Error(f"{what}: {wrong}; accepted: {accepted}")
