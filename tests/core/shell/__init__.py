"""Tests of reading and judging shell texts."""
