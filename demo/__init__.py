"""A whole run of git-waves in a throwaway repository: `make demo`."""
