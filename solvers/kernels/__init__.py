"""Compiled or BLAS-bound inner loops; they take arrays and know no model."""
