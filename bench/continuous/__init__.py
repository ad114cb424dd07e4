"""The continuous problems, the suite that compares methods on them, and its figures."""
