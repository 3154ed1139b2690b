#!/bin/sh
# You against a program.
#
#   sh run.sh                        you have Black, random_player.py has White
#   sh run.sh white                  you have White
#   sh run.sh black my_player3.py    against another program in Python

cd "$(dirname "$0")" || exit 3
colour=${1:-black}
opponent=${2:-random_player.py}

case $colour in
    black) you=1 ;;
    white) you=2 ;;
    *) echo "run.sh: expected black or white, got '$colour'" >&2; exit 3 ;;
esac
if [ ! -f "$opponent" ]; then echo "run.sh: there is no $opponent here" >&2; exit 3; fi

cp init/input.txt input.txt || exit 3
echo "You have $colour. Rows and columns count from 0 at the top left."
move=0
winner=0
while [ "$winner" -eq 0 ]; do
    move=$((move + 1))
    rm -f output.txt
    if [ $((2 - move % 2)) -eq "$you" ]; then
        python3 manual_player.py
    else
        python3 "$opponent" </dev/null >&2
    fi
    python3 host.py -m "$move" -v
    winner=$?
done

case $winner in
    "$you") echo "You win." ;;
    1 | 2) echo "You lose." ;;
    *) echo "run.sh: the host could not judge move $move" >&2; exit 3 ;;
esac
