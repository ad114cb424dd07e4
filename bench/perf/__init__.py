"""Our speed, as ratios measured in one run."""
