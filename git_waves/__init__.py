"""git-waves: run several coding agents at once in one git repository, without collisions."""

__version__ = "0.1.0"
