#!/bin/sh
# Prepares the autograder's container: a Python that is new enough, with the pinned packages. Needs no privileges;
# as root it also installs Python where there is none at all. Run again, it changes nothing.
set -eu
root=${AUTOGRADER_ROOT:-/autograder}
source=$root/source
chosen=$root/python-to-use

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

has_pins() {  # every package of a requirements file, in the pinned version
    "$1" - "$2" << 'END'
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    pins = [line.split("==") for line in Path(sys.argv[1]).read_text(encoding="utf-8").split()]
    sys.exit(any(version(name) != pinned for name, pinned in pins))
except PackageNotFoundError:
    sys.exit(1)
END
}

python=
for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -z "$python" ] && found=$(command -v "$name") && fits "$found"; then python=$found; fi
done

if [ -n "$python" ] && has_pins "$python" "$source/requirements.txt"; then
    printf '%s\n' "$python" > "$chosen"
    echo "Using $python, which has everything."
    exit 0
fi

if [ -z "$python" ]; then
    if ! python3 -m venv --help > /dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && apt-get install -y -qq python3 python3-venv
    fi
    python3 -m venv "$root/uv"
    "$root/uv/bin/python" -m pip install --quiet uv==0.5.11
    "$root/uv/bin/uv" python install --install-dir "$root/python" 3.12.8
    python=$(ls -d "$root"/python/cpython-3.12.8-*/bin/python3.12)
elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq && apt-get install -y -qq python3-venv
fi

"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet --no-deps -r "$source/requirements.txt"
printf '%s\n' "$root/venv/bin/python" > "$chosen"
echo "Installed for $python."
