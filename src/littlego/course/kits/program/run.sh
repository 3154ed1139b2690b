#!/bin/sh
# You against a program, in the directory that you are in.
#
#   sh run.sh                        you have Black, random_player.py has White
#   sh run.sh white                  you have White
#   sh run.sh black my_player3.py    against another program in Python

here=$(cd "$(dirname "$0")" && pwd)/ || exit 3
# Where host.py, random_player.py and init/ are, as build.sh looks for them.
prefix="./"
for place in "$prefix" "$here" "${here}../asnlib/public/myplayer_play/"; do
    if [ -f "${place}init/input.txt" ]; then prefix=$place; break; fi
done
colour=${1:-black}
opponent=${2:-${prefix}random_player.py}

case $colour in
    black) you=1 ;;
    white) you=2 ;;
    *) echo "run.sh: expected black or white, got '$colour'" >&2; exit 3 ;;
esac
if [ ! -f "$opponent" ]; then echo "run.sh: there is no $opponent here" >&2; exit 3; fi

cp "${prefix}init/input.txt" input.txt || exit 3
echo "You have $colour. Rows and columns count from 0 at the top left."
move=0
winner=0
while [ "$winner" -eq 0 ]; do
    move=$((move + 1))
    rm -f output.txt
    if [ $((2 - move % 2)) -eq "$you" ]; then
        python3 "${prefix}manual_player.py"
    else
        PYTHONPATH=$prefix python3 "$opponent" </dev/null >&2
    fi
    python3 "${prefix}host.py" -m "$move" -v
    winner=$?
done

case $winner in
    "$you") echo "You win." ;;
    1 | 2) echo "You lose." ;;
    *) echo "run.sh: the host could not judge move $move" >&2; exit 3 ;;
esac
