"""The commands, one file each: parse, call one function, return an exit code."""
