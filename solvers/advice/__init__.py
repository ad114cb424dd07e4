"""Advice on one problem: when to look, and what looking is worth."""
