"""The model, its policies, their exact evaluation, and the contract of a solver."""
