#!/bin/sh
# Your agent against random_player.py, a program started for every move. Your agent is the one in the directory that you
# are in, else the one beside this script.
#
# It is the first that is there of my_player.py (Python 2), my_player3.py, my_player.cpp, my_player.java, my_player11.cpp.
#
#   sh build.sh          2 games as Black and 2 as White
#   sh build.sh 10       10 games of each
#   sh build.sh 1 -v     show the board after every move
#
# Results are printed on standard output, everything else on standard error. It stops with 3 if it cannot play.

games=${1:-2}
verbose=$2

case $games in
    '' | *[!0-9]*) echo "build.sh: expected a number of games, got '$games'" >&2; exit 3 ;;
esac

# The python3 of a version manager is a slow script: find the program behind it once.
python3=$(python3 -c 'import sys; print(sys.executable)') || { echo "build.sh: there is no python3" >&2; exit 3; }

here=$(cd "$(dirname "$0")" && pwd)/ || exit 3
if ! ls ./my_player* >/dev/null 2>&1; then cd "$here" || exit 3; fi

# Where host.py, random_player.py and init/ are: as it stands, in the directory that you are in. If they are not there,
# they are taken from beside this script, or from where the course has them. An agent that imports host, read or write
# and has none beside it gets these, too.
#
# The course's documents say (4.4):
#
#   - Download build.sh to the same directory, modify line 36: prefix="./",
#
# This is line 36:
#
prefix="./"
for place in "$prefix" "$here" "${here}../asnlib/public/myplayer_play/"; do
    if [ -f "${place}init/input.txt" ]; then prefix=$place; break; fi
done

# Every .cpp file here is a part of a C++ agent, but not the main file of another one.
compile() {
    for part in ./*.cpp; do
        case $part in
            ./my_player.cpp | ./my_player11.cpp) ;;
            *) set -- "$@" "$part" ;;
        esac
    done
    g++ "$@" "./$agent" -o exe
}

agent=
python=
for file in my_player.py my_player3.py my_player.cpp my_player.java my_player11.cpp; do
    if [ -f "$file" ]; then agent=$file; break; fi
done
case $agent in
    my_player.py) # Python 2, as in the course, if there is one
        for name in python2.7 python2 python; do
            python=$("$name" -c 'import sys; print(sys.executable)' 2>/dev/null) && break
        done
        if [ -z "$python" ]; then python=$python3; fi
        "$python" -c 'import sys; sys.exit(sys.version_info[0] != 2)' ||
            echo "build.sh: there is no Python 2, which the course runs my_player.py with: $python runs it" >&2 ;;
    my_player3.py)
        "$python3" -c 'import sys; sys.exit(sys.version_info > (3, 8))' ||
            echo "build.sh: $python3 is newer than the course's Python 3.7, which lacks what is new in it" >&2 ;;
    my_player.cpp) compile -O2 || exit 3 ;;
    my_player11.cpp) compile -std=c++0x -O2 || exit 3 ;;
    my_player.java) javac my_player.java || exit 3 ;;
    *) echo "build.sh: there is no my_player3.py, nor my_player.py, .cpp, .java or my_player11.cpp" >&2; exit 3 ;;
esac

run_agent() {
    case $agent in
        # An agent without starter files of its own uses those of the course.
        my_player.py) PYTHONPATH=$prefix "$python" my_player.py ;;
        my_player3.py) PYTHONPATH=$prefix "$python3" my_player3.py ;;
        my_player.java) java my_player ;;
        *) ./exe ;;
    esac
}

run_random() {
    "$python3" "${prefix}random_player.py"
}

# Plays a game between two of the functions above, Black's first. Sets winner to 1 or 2.
play() {
    cp "${prefix}init/input.txt" input.txt || exit 3
    move=0
    winner=0
    while [ "$winner" -eq 0 ]; do
        move=$((move + 1))
        if [ $((move % 2)) -eq 1 ]; then player=$1; else player=$2; fi
        rm -f output.txt
        # 10 s of CPU time, the course's limit for a move: over it the move is lost, written or not.
        # What a program wrote before it crashed counts.
        (ulimit -t 10; "$player") </dev/null >&2
        status=$?
        case $status in
            0) ;;
            137 | 152)
                echo "The program of move $move was stopped: it used up its 10 s of CPU time." >&2
                rm -f output.txt ;;
            *) echo "The program of move $move ended with status $status." >&2 ;;
        esac
        "$python3" "${prefix}host.py" -m "$move" $verbose >&2
        winner=$?
    done
    if [ "$winner" -gt 2 ]; then echo "build.sh: the host could not judge move $move" >&2; exit 3; fi
}

black_wins=0
white_wins=0

echo "$agent against random_player.py"
game=0
while [ "$game" -lt "$games" ]; do
    game=$((game + 1))
    play run_agent run_random
    if [ "$winner" -eq 1 ]; then black_wins=$((black_wins + 1)); result=won; else result=lost; fi
    echo "Game $game as Black: $result after $move moves"
done
game=0
while [ "$game" -lt "$games" ]; do
    game=$((game + 1))
    play run_random run_agent
    if [ "$winner" -eq 2 ]; then white_wins=$((white_wins + 1)); result=won; else result=lost; fi
    echo "Game $game as White: $result after $move moves"
done

echo "=====Summary====="
echo "You play as Black Player | Win: $black_wins | Lose: $((games - black_wins))"
echo "You play as White Player | Win: $white_wins | Lose: $((games - white_wins))"
