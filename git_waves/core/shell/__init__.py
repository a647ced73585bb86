"""Shell text without a shell: what it says (`read_script`), how it may end (`outcomes`), what in it hides a failure."""
