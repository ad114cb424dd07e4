"""Mutated ``.npz`` files, and a second reader that says what each of them means.

Two kinds of damage: to the bytes of a file, where the checksums of the format leave nothing but
refusal or the model as it was; and to the arrays in it, written anew with valid checksums, where
the file means what its arrays say, or nothing.
"""

from __future__ import annotations

import io
import itertools
import json
import zipfile

import numpy as np

NEEDED = ("indptr", "indices", "data", "costs", "sensing_cost", "discount", "start", "terminal")
STRANGE = (-1, 0, 1, 2, 99, 2**31, 2**62, -(2**63), 0.5, 1e300, np.nan, np.inf)
TYPES = ("f4", "f8", "i1", "i4", "i8", "u8", "c16", "U3", "S3", "b1", ">f8", ">i8", "M8[s]", "f2")


def damaged_bytes(raw: bytes, rng: np.random.Generator) -> bytes:
    """A file cut, or with some bytes changed, added, removed or doubled."""
    found = bytearray(raw)
    for _ in range(int(rng.integers(1, 4))):
        at, much = int(rng.integers(len(found))), int(rng.integers(1, 40))
        how = int(rng.integers(6))
        if how == 0:
            found[at] = int(rng.integers(256))
        elif how == 1:
            found[at] ^= 1 << int(rng.integers(8))
        elif how == 2:
            del found[at:]
        elif how == 3:
            del found[at : at + much]
        elif how == 4:
            found[at:at] = rng.bytes(much)
        else:
            found[at:at] = found[at : at + much]
        if not found:
            return b""
    return bytes(found)


def damaged_arrays(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> dict:
    """The arrays with one or two of them changed in value, type, shape, or missing."""
    found = {name: array.copy() for name, array in arrays.items()}
    for _ in range(int(rng.integers(1, 3))):
        name = str(rng.choice(list(found)))
        array = found[name]
        how = int(rng.integers(9))
        with np.errstate(all="ignore"):
            try:
                if how == 0:
                    del found[name]
                elif how == 1:
                    found[name] = array.astype(str(rng.choice(TYPES)))
                elif how == 2:
                    found[name] = array.reshape((1, *array.shape))
                elif how == 3:
                    found[name] = array.reshape(-1)[: int(rng.integers(array.size + 1))]
                elif how == 4 and array.size:
                    array.reshape(-1)[int(rng.integers(array.size))] = rng.choice(STRANGE)
                elif how == 5:
                    found[name] = array * rng.choice([0.7, -1, 2, 0])
                elif how == 6:
                    found[name] = array.T
                elif how == 7 and array.size:
                    at = tuple(int(rng.integers(n)) for n in array.shape)
                    array[at] = array.reshape(-1)[int(rng.integers(array.size))]
                else:
                    found[name] = found[str(rng.choice(list(found)))]
            except (ValueError, OverflowError, TypeError):
                continue
    return found


def lying_header(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> bytes:
    """A file in which one array's header claims another shape, type or order."""
    name = str(rng.choice(list(arrays)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, array in arrays.items():
            one = io.BytesIO()
            np.lib.format.write_array(one, array)
            raw = one.getvalue()
            if key == name:
                old, new = LIES[int(rng.integers(len(LIES)))]
                raw = raw.replace(old, new.ljust(len(old)) if len(new) < len(old) else new, 1)
            archive.writestr(key + ".npy", raw)
    return buffer.getvalue()


LIES = (
    (b"'shape': (", b"'shape': (1000000000000000, "),
    (b"'shape': (", b"'shape': (-1, "),
    (b"'shape': (", b"'shape': (0, "),
    (b"<f8", b"|O8"),
    (b"<i8", b"<f8"),
    (b"<f8", b"<i8"),
    (b"<f8", b">f8"),
    (b"False", b"[[[[["),
    (b"'descr'", b"'decsr'"),
    (b"\x93NUMPY\x01", b"\x93NUMPY\x07"),
    (b"}", b")"),
    (b"<i8", b"V8 "),
)


def meaning(arrays: dict[str, np.ndarray]) -> dict | None:
    """What the arrays say, number by number; None if they say nothing that makes a model."""
    if any(name not in arrays for name in NEEDED):
        return None
    given = {name: arrays[name] for name in NEEDED}
    kinds = dict.fromkeys(NEEDED, "fiu") | {"indptr": "iu", "indices": "iu", "terminal": "b"}
    sizes = {"indptr": 2, "indices": 1, "data": 1, "costs": 2, "discount": 0, "start": 1}
    if any(given[name].dtype.kind not in kinds[name] for name in NEEDED):
        return None
    if any(given[name].ndim != n for name, n in sizes.items()) or given["terminal"].ndim != 1:
        return None
    pointers, states, chances = (given[n].tolist() for n in ("indptr", "indices", "data"))
    A, S = len(pointers), len(pointers[0]) - 1 if pointers else 0
    T = np.zeros((A, S, S))
    first = 0
    for a in range(A):
        row = pointers[a]
        if row[0] != 0 or any(x > y for x, y in itertools.pairwise(row)):
            return None
        if first + row[-1] > min(len(states), len(chances)):
            return None
        for s in range(S):
            for at in range(first + row[s], first + row[s + 1]):
                if not 0 <= states[at] < S or T[a, s, states[at]] != 0:
                    return None
                T[a, s, states[at]] = chances[at]
        first += row[-1]
    if first != len(states) or first != len(chances):
        return None
    about = {}
    if "names" in arrays:
        if arrays["names"].dtype != np.uint8 or arrays["names"].ndim != 1:
            return None
        try:
            about = json.loads(arrays["names"].tobytes())
        except ValueError:
            return None
    seen = arrays.get("end_is_seen", np.False_)
    if seen.dtype.kind != "b" or seen.ndim:
        return None
    return {"T": T, "names": about, "end_is_seen": bool(seen), **given}
