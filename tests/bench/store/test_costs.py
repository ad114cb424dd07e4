"""Sensing costs as text and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.store.costs import from_text, number_or_text, to_text


@given(st.floats(min_value=0, allow_infinity=False, allow_nan=False))
def test_a_number_reads_back_as_itself(k):
    assert from_text(to_text(k)) == k == number_or_text(to_text(k))


def test_plain_numbers_have_plain_texts():
    assert [to_text(k) for k in (0.01, 1.0, 5, 1e-5)] == ["0.01", "1", "5", "1e-05"]


@pytest.mark.parametrize("k", [[0.1, 0.2], [[0.1, 0.2], [0.3, 0.4]], [0.25]])
def test_arrays_read_back_as_themselves(k):
    assert to_text(np.array(k)) == to_text(k)
    assert np.array_equal(from_text(to_text(k)), np.array(k))
    assert number_or_text(to_text(k)) == to_text(k)


def test_a_files_own_cost_has_a_word():
    assert to_text(math.nan) == "own" and math.isnan(from_text("own"))
