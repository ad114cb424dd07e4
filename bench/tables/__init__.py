"""Tables in four formats."""
