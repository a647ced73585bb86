#!/bin/sh
# Says nothing and works on a file: `toucher.sh FILE TIMES`, a change every tenth of a second.
i=0
while [ "$i" -lt "$2" ]; do
    echo "$i" >>"$1"
    i=$((i + 1))
    sleep 0.1
done
