#!/bin/sh
# Grades one submission: submission/ in, results/results.json out.
root=${AUTOGRADER_ROOT:-/autograder}
results=$root/results/results.json
mkdir -p "$root/results"
rm -f "$results"
work=$(mktemp -d)
export PYTHONPATH="$root/source" PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME="$work/cache" HOME="$work"
cd "$work" || exit 1
python=$(cat "$root/python-to-use")
# Agents run with the same Python, which has the packages of the course.
"$python" -P -m littlego grade "$root/submission" @OPTIONS@ --python "$python" \
    --out "$work/grading" --gradescope "$results"
rm -rf "$work"
if [ ! -s "$results" ]; then
    # Without results there is no score, and Gradescope tells the student to ask the staff: a 0 would be the student's.
    echo "The autograder failed, not the submission." >&2
    exit 1
fi
