"""Speed as ratios: our side and a floor or a peer, measured in turn in one run on one machine (docs/performance.md).

Nothing here is a test. A figure that misses its aim is printed as missed, and nothing fails.
"""
