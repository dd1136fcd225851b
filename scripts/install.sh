#!/bin/sh
# install.sh VENV TARGET: makes VENV when it is missing and installs TARGET (`.` or `.[dev]`) with the tested versions.
# TORCH=auto takes a CPU build of torch unless an NVIDIA driver is present; cpu and cuda force one or the other.
set -eu
venv=$1 target=$2
python=${PYTHON:-python3} flavour=${TORCH:-auto}
torch='torch>=2.13.0,<2.14'
cpu_index=https://download.pytorch.org/whl/cpu

fail() { echo "install: $1" >&2; exit 2; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "'$python' is missing or older than 3.11; name another one: make PYTHON=/path/to/python3.11"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" ||
    fail "'$python -m venv' failed; on Debian: apt-get install python3-venv"

case $flavour in
auto) if [ -e /proc/driver/nvidia/version ]; then flavour=cuda; else flavour=cpu; fi ;;
cpu | cuda) ;;
*) fail "TORCH=$flavour is unknown; allowed: auto, cpu, cuda" ;;
esac

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# Reads the installed build's own version file: torch itself cannot be imported before its dependencies are there.
has_cpu_torch() {
    "$venv/bin/python" - 2>/dev/null <<'PYTHON'
import importlib.metadata, runpy, sys
version = importlib.metadata.distribution("torch").locate_file("torch/version.py")
sys.exit(runpy.run_path(str(version))["cuda"] is not None)
PYTHON
}

if [ "$flavour" = cpu ] && ! has_cpu_torch; then
    # A wheel that the user's own pip configuration offers locally comes first, then PyTorch's CPU index.
    pip install --quiet --quiet --no-index --no-deps "$torch" 2>/dev/null && has_cpu_torch ||
        pip install --quiet --quiet --no-deps --force-reinstall --index-url "$cpu_index" "$torch" ||
        fail "no CPU build of $torch found locally or at $cpu_index; to take the CUDA build: make install TORCH=cuda"
fi
echo "installing $target into $venv ($flavour build of torch); this takes a minute or two" >&2
pip install --quiet --quiet --constraint constraints.txt --editable "$target"
