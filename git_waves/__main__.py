"""`python -m git_waves` is `git waves`."""

from __future__ import annotations

import sys

from git_waves.entry import main

sys.exit(main())
