"""Tests of the families of findings, one file for each."""
