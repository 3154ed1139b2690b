#!/bin/sh
# Grades one submission: submission/ in, results/results.json out.
root=${AUTOGRADER_ROOT:-/autograder}
results=$root/results/results.json
mkdir -p "$root/results"
work=$(mktemp -d)
export PYTHONPATH="$root/source" PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME="$work/cache" HOME="$work"
cd "$work" || exit 1
"$(cat "$root/python-to-use")" -P -m littlego grade "$root/submission" @OPTIONS@ \
    --out "$work/grading" --gradescope "$results"
status=$?
rm -rf "$work"
if [ ! -s "$results" ]; then
    echo '{"score": 0, "output": "The autograder failed, not the submission. Please tell the staff."}' > "$results"
    exit "$status"
fi
