"""The store: torn lines, truncated files and two writers lose and corrupt nothing."""

import multiprocessing
import os

import pandas as pd
import pytest

from bench.store import rows
from bench.store.store import Store, StoreError, clone_id


def row(i, **more):
    fixed = {"key": f"{i:016x}", "suite": "s", "problem": "p", "sensing_cost": 0.1, "solver": "x"}
    return {**fixed, "options": {"n": i}, "seed": 0, "status": rows.OK, "value": i / 3, **more}


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path, "s")
    made.create()
    return made


def test_values_read_back_bit_for_bit(store):
    values = [1 / 3, -2.5e-17, 1e300, 0.1 + 0.2]
    for i, value in enumerate(values):
        store.append(row(i, value=value, reason='said "no",\nand left'))
    assert [float(r["value"]) for r in store.read()] == values
    assert {r["reason"] for r in store.read()} == {'said "no", and left'}
    frame = pd.read_csv(store.rows_path)
    assert list(frame["value"]) == values and frame["lower"].isna().all()


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_ignored_then_cut_off(store, cut):
    for i in range(3):
        store.append(row(i))
    whole = store.rows_path.read_bytes()
    store.rows_path.write_bytes(whole[:-cut])
    assert [r["key"] for r in store.read()] == [f"{i:016x}" for i in range(2)]
    store.append(row(7))
    assert [int(r["key"], 16) for r in store.read()] == [0, 1, 7]
    assert len(pd.read_csv(store.rows_path)) == 3


def test_a_torn_header_is_written_anew(store):
    store.rows_path.write_text(rows.header()[:20])
    assert store.read() == []
    store.append(row(1))
    assert len(pd.read_csv(store.rows_path)) == 1


def test_every_prefix_of_the_file_reads_as_its_whole_rows(store):
    for i in range(4):
        store.append(row(i, reason="a, “quoted” reason"))
    text = store.rows_path.read_text(encoding="utf-8")
    for end in range(len(text)):
        complete = max(0, text[:end].count("\n") - 1)
        assert len(rows.parse(text[:end])) == complete


def write_many(folder, first):
    store = Store(folder, "s")
    store.create()
    for i in range(first, first + 40):
        store.append(row(i, note="x" * 500))


def test_two_writers_at_once_corrupt_nothing(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_many, args=(tmp_path, 100 * w)) for w in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = [int(r["key"], 16) for r in Store(tmp_path, "s").read()]
    assert sorted(found) == [*range(40), *range(100, 140)]


def claim_elsewhere(folder, answers):
    store = Store(folder, "s")
    store.create()
    answers.put([store.claim("0f"), store.claim("ff")])


def test_a_claimed_cell_is_closed_to_other_processes(store):
    assert store.claim("0f")
    spawn = multiprocessing.get_context("spawn")
    answers = spawn.Queue()
    other = spawn.Process(target=claim_elsewhere, args=(store.results, answers))
    other.start()
    assert answers.get(timeout=60) == [False, True]
    other.join(60)


def test_other_columns_are_refused_not_mixed(store):
    store.rows_path.write_text("key,value\n1,2\n")
    with pytest.raises(StoreError, match="columns of another version"):
        store.append(row(1))
    assert store.rows_path.read_text() == "key,value\n1,2\n"


def test_details_are_whole_and_debris_of_dead_runs_is_removed(store):
    store.write_details("ab", {"values": [1.0, None]})
    assert store.read_details("ab") == {"values": [1.0, None]}
    with pytest.raises(ValueError):
        store.write_details("ab", {"values": [float("nan")]})
    assert store.read_details("ab") == {"values": [1.0, None]}
    cells = store.directory / "cells"
    dead, own = cells / ".cd.json.999999999.tmp", cells / f".ef.json.{os.getpid()}.tmp"
    dead.write_text("{")
    own.write_text("{")
    store.create()
    assert not dead.exists() and own.exists()


def test_a_clone_keeps_its_id(tmp_path):
    first = clone_id(tmp_path)
    assert clone_id(tmp_path) == first and len(first) == 8


def test_the_later_row_of_a_cell_counts():
    text = rows.header() + "".join(rows.to_line(r) for r in (row(1), row(2), row(1, value=9.0)))
    assert [r["value"] for r in rows.latest(rows.parse(text))] == ["9.0", repr(2 / 3)]


def test_a_row_takes_only_its_columns():
    with pytest.raises(KeyError, match="colour"):
        rows.to_line({"colour": "red"})
