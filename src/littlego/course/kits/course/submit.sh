#!/bin/sh
# The submission report: the agent in the directory that you are in plays what the course plays when you submit, and this
# prints the points and why. Unlike build.sh and run.sh it needs the command littlego.
#
#   bash ../resource/scripts/submit.sh             the games of this stage, by the name of the directory around work;
#                                                  those of both stages if that is neither stage1 nor stage2
#   bash ../resource/scripts/submit.sh submit2     the games of stage 2
#
# The games, and a page with all that were lost, are kept beside work/, in submission/.

if ! command -v littlego >/dev/null 2>&1; then
    echo "submit.sh: there is no command littlego: install Little-Go, or add its directory to PATH" >&2
    exit 3
fi
case $(basename "$(dirname "$PWD")") in
    stage1) stage=submit1 ;;
    stage2) stage=submit2 ;;
    *) stage=submit ;;
esac
mkdir -p ../submission || exit 3
exec littlego grade . --stage "${1:-$stage}" --out ../submission --html ../submission/report.html
