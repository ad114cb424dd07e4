"""The store: torn lines, truncated files and two writers lose and corrupt nothing."""

import csv
import errno
import io
import multiprocessing
import os

import pandas as pd
import pytest

from bench.store import status
from bench.store.files import write_text
from bench.store.result import COLUMNS, HEADER, Result, latest, parse
from bench.store.store import Store, StoreError, clone_id


def row(i, **more):
    fixed = {"key": f"{i:016x}", "suite": "s", "problem": "p", "sensing_cost": 0.1, "solver": "x"}
    rest = {"options": {"n": i}, "seed": 0, "status": status.OK, "value": i / 3}
    return Result(**{**fixed, **rest, **more})


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path, "s")
    made.create()
    return made


def test_values_read_back_bit_for_bit(store):
    values = [1 / 3, -2.5e-17, 1e300, 0.1 + 0.2]
    for i, value in enumerate(values):
        store.append(row(i, value=value, reason='said "no",\nand left'))
    assert [r.value for r in store.read()] == values
    assert {r.reason for r in store.read()} == {'said "no", and left'}
    frame = pd.read_csv(store.rows_path)
    assert list(frame["value"]) == values and frame["lower"].isna().all()


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_ignored_then_cut_off(store, cut):
    for i in range(3):
        store.append(row(i))
    whole = store.rows_path.read_bytes()
    store.rows_path.write_bytes(whole[:-cut])
    assert [r.key for r in store.read()] == [f"{i:016x}" for i in range(2)]
    store.append(row(7))
    assert [int(r.key, 16) for r in store.read()] == [0, 1, 7]
    assert len(pd.read_csv(store.rows_path)) == 3


def test_a_torn_header_is_written_anew(store):
    store.rows_path.write_text(HEADER[:20])
    assert store.read() == []
    store.append(row(1))
    assert len(pd.read_csv(store.rows_path)) == 1


def test_every_prefix_of_the_file_reads_as_its_whole_rows(store):
    for i in range(4):
        store.append(row(i, reason="a, “quoted” reason"))
    text = store.rows_path.read_text(encoding="utf-8")
    for end in range(len(text)):
        complete = max(0, text[:end].count("\n") - 1)
        assert len(parse(text[:end])) == complete


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
    found = [int(r.key, 16) for r in Store(tmp_path, "s").read()]
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
    for use in (store.read, lambda: store.append(row(1))):
        with pytest.raises(StoreError, match=r"rows.csv: its first line lacks problem"):
            use()
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
    text = HEADER + "".join(r.line() for r in (row(1), row(2), row(1, value=9.0)))
    assert [r.value for r in latest(parse(text))] == [9.0, 2 / 3]


def test_a_row_takes_only_its_columns():
    with pytest.raises(ValueError, match="colour"):
        row(1, colour="red")


def test_rows_of_an_earlier_version_read_with_empty_columns_and_are_brought_up_to_date(store):
    old = [c for c in COLUMNS if c not in ("verified", "verify_seconds", "model")]
    text = ",".join(old) + "\n"
    for i in range(3):
        made = next(csv.DictReader(io.StringIO(HEADER + row(i, reason="a, b").line())))
        text += ",".join('"' + made[c].replace('"', '""') + '"' for c in old) + "\n"
    store.rows_path.write_text(text)
    assert [(r.value, r.verified) for r in store.read()] == [(i / 3, "") for i in range(3)]
    store.append(row(7))
    assert [int(r.key, 16) for r in store.read()] == [0, 1, 2, 7]
    assert store.rows_path.read_text().splitlines()[0] == HEADER.strip()


def test_a_damaged_row_is_told_of_and_left_out(store):
    for i in range(3):
        store.append(row(i))
    lines = store.rows_path.read_text().splitlines(keepends=True)
    store.rows_path.write_text("".join([*lines[:2], lines[2].replace("0.333", "x"), lines[3]]))
    with pytest.warns(UserWarning, match=r"rows.csv: row 3 is damaged \(value\)"):
        assert [int(r.key, 16) for r in store.read()] == [0, 2]


def test_new_rows_are_read_once(store):
    store.append(row(1))
    assert len(store.read()) == 1 and store.read_new() == []
    other = Store(store.results, "s")
    other.append(row(2))
    assert [int(r.key, 16) for r in store.read_new()] == [2]
    assert store.read_new() == []


def test_environments_that_are_none_are_told_with_their_file(store):
    path = store.directory / "environment.json"
    for text in ("[1,2]", "{", '{"c": 3}'):
        path.write_text(text)
        with pytest.raises(StoreError, match=r"environment.json is damaged"):
            store.environments()


def test_what_could_act_on_a_terminal_is_written_out(store):
    nasty = "red \x1b[31m, backwards \u202e, bell \x07\nand\u2028on"
    store.append(row(1, reason=nasty, note=nasty, solver="x\x1b[0m"))
    (found,) = store.read()
    assert found.reason == "red \\x1b[31m, backwards \\u202e, bell \\x07 and on"
    assert found.solver == "x\\x1b[0m"
    assert "\x1b" not in store.rows_path.read_text()


def test_a_full_disk_leaves_what_was_there(store, monkeypatch):
    path = store.directory / "table.md"
    write_text(path, "old")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreError, match=r"cannot write .*table.md: No space left"):
        write_text(path, "new")
    assert path.read_text() == "old" and list(store.directory.glob(".*")) == []
