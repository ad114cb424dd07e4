"""Work in processes of their own, under hard limits: used by the Julia bridge and the benchmark."""
