"""Pure decisions: posteriors, buckets, schedulers, mixtures, estimates, detectors and actions."""
