#!/bin/sh
# Ignores TERM, and so does its child; prints a line once both stand.
trap '' TERM
sh -c 'trap "" TERM; echo child; while :; do sleep 0.05; done' &
while :; do sleep 0.05; done
