"""Arrays from an ``.npz`` file that nobody vouches for.

A file may come from anywhere, and what it says of itself need not be true.  So each array is
declared before it is read (:class:`Array`: kind of number, dimensions), its header is held against
that declaration and against the bytes that are really there, and only then is it unpacked.  What
does not fit is refused in one line that names the file, the array and what was expected.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solvers.core.validation import ModelError
from solvers.core.whole_file import written_whole

LARGEST = 2**31
"""Bytes that all arrays of one file may hold together once unpacked."""
END_BYTES = 2**16 + 22
"""The record at the end of a zip file lies within this many bytes."""
WHOLE, REAL, TRUTH, TEXT = "whole numbers", "real numbers", "true or false", "bytes"
_KINDS = {WHOLE: "iu", REAL: "fiu", TRUTH: "b", TEXT: "u"}
_STORED = {WHOLE: np.int64, REAL: np.float64, TRUTH: np.bool_, TEXT: np.uint8}


@dataclass(frozen=True)
class Array:
    """What an array must be: its kind of number, its dimensions, and whether it may be missing."""

    kind: str
    dimensions: tuple[int, ...]
    optional: bool = False


def read_arrays(
    path: str | Path, declared: Mapping[str, Array], what: str
) -> dict[str, np.ndarray]:
    """The declared arrays of an ``.npz`` file, as int64, float64, bool or uint8.

    Parameters
    ----------
    declared : every array the file may have; one that is not declared is refused, because what it
        was meant to say would be lost
    what : what the file should be, for messages ("a problem file")
    """
    path = Path(path)
    _refuse_other_files(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(path, archive, declared, what)
            return {
                name: _read(path, archive, info, name, declared[name])
                for name, info in members.items()
            }
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from None
    except Exception as error:  # whatever damaged bytes make zipfile, zlib and numpy raise
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"{path} is damaged, it cannot be read as an .npz file: {said}") from None


def scalar(array: np.ndarray) -> Any:
    """The number in an array without dimensions."""
    return array.reshape(-1)[0].item()


def text(path: Path, name: str, array: np.ndarray) -> dict[str, Any]:
    """The JSON object that an array of bytes holds."""
    try:
        found = json.loads(array.tobytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: {name} is not JSON text in UTF-8: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f"{path}: {name} holds {found!r:.60}; expected a JSON object")
    return found


def packed(**arrays: Any) -> bytes:
    """Arrays as the content of an ``.npz`` file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def write_arrays(path: str | Path, **arrays: Any) -> None:
    """Write arrays as an ``.npz`` file that is whole or not there at all."""
    with written_whole(path) as beside:
        beside.write_bytes(packed(**arrays))


def json_bytes(value: Mapping[str, Any]) -> np.ndarray:
    """A JSON object as an array of bytes."""
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode(), np.uint8)


def _refuse_other_files(path: Path) -> None:
    try:
        with open(path, "rb") as file:
            first = file.read(6)
    except FileNotFoundError:
        raise ModelError(f"no such file: {path}") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from None
    if not first:
        raise ModelError(f"{path} is empty; it is not an .npz file")
    if first == b"\x93NUMPY":
        raise ModelError(f"{path} is a single array (.npy); expected an .npz file")
    if not first.startswith(b"PK"):
        raise ModelError(f"{path} is not an .npz file")


def _members(
    path: Path, archive: zipfile.ZipFile, declared: Mapping[str, Array], what: str
) -> dict[str, zipfile.ZipInfo]:
    """The members by the name of their array: none unknown, none twice, not too large."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name not in declared:
            known = ", ".join(declared)
            raise ModelError(f"{path} has an unknown array {name!r:.60}; {what} has: {known}")
        if name in found:
            raise ModelError(f"{path} has the array {name} twice")
        found[name] = info
    if len(found) != _announced(path):
        raise ModelError(f"{path} is damaged: its list of arrays is cut short")
    missing = [name for name, one in declared.items() if not (one.optional or name in found)]
    if missing:
        raise ModelError(f"{path} has no array {', '.join(missing)}: it is not {what}")
    total = sum(info.file_size for info in found.values())
    if total > LARGEST:
        raise ModelError(
            f"{path} would unpack to {total:.3g} bytes; at most {LARGEST:.3g} are read"
        )
    return found


def _announced(path: Path) -> int:
    """How many members the end of a zip file announces; zipfile itself does not compare."""
    with open(path, "rb") as file:
        file.seek(-min(path.stat().st_size, END_BYTES), os.SEEK_END)
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06") + 10
    return int.from_bytes(tail[at : at + 2], "little")


def _read(
    path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, declared: Array
) -> np.ndarray:
    """One array, its header checked before its numbers are unpacked."""
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        read_header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, by_column, dtype = read_header(file)
        if dtype.kind not in _KINDS[declared.kind] or dtype.itemsize > 8:
            raise ModelError(f"{path}: {name} holds {dtype}; expected {declared.kind}")
        if len(shape) not in declared.dimensions:
            expected = " or ".join(_dimensions(n) for n in declared.dimensions)
            raise ModelError(f"{path}: {name} has shape {shape}; expected {expected}")
        count = math.prod(shape)
        size = count * dtype.itemsize
        if min(shape, default=0) < 0 or size != info.file_size - file.tell():
            raise ModelError(
                f"{path}: {name} claims shape {shape} of {dtype}, {size} bytes, and has "
                f"{info.file_size - file.tell()}"
            )
        data = file.read()  # to the end: only there is the checksum compared
    if len(data) != size:
        raise ModelError(f"{path}: {name} is cut short: {len(data)} of {size} bytes")
    array = np.frombuffer(data, dtype, count).reshape(shape, order="F" if by_column else "C")
    return _converted(path, name, array, declared)


def _converted(path: Path, name: str, array: np.ndarray, declared: Array) -> np.ndarray:
    """The array in the type that is kept; a number that does not fit into it is refused."""
    if declared.kind == TRUTH and array.size and array.view(np.uint8).max() > 1:
        raise ModelError(f"{path}: {name} holds bytes other than 0 and 1; expected true or false")
    if declared.kind == TEXT and array.dtype.itemsize != 1:
        raise ModelError(f"{path}: {name} holds {array.dtype}; expected bytes (uint8)")
    if declared.kind == WHOLE and array.dtype.kind == "u" and array.size:
        most = np.iinfo(np.int64).max
        if int(array.max()) > most:
            raise ModelError(f"{path}: {name} holds {int(array.max())}; expected at most {most}")
    return np.array(array, _STORED[declared.kind], order="C")


def _dimensions(n: int) -> str:
    return "a single number" if n == 0 else f"{n} dimension{'s' if n > 1 else ''}"
