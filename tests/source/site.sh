#!/usr/bin/env bash
# The documentation site builds without a warning, and every link inside it leads to a place that is there. Skipped, with the names of
# the missing packages, where Sphinx and the like are not installed.
exec "$SOURCE/tools/build-docs" --out "$WORK"
