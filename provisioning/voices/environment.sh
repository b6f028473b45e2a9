# Sourced by the programs of the voices' workshop.
#
# python_environment FOLDER REQUIREMENTS FINISH
#   Makes FOLDER/ready/env, a virtual environment with what REQUIREMENTS pins, unless it is there for these requirements
#   already. FINISH is a function that is called with the folder in the making and the environment's packages, and puts
#   the model into the former. Runs at once after one another. `unavailable REASON` of the caller ends it.

python_environment() {
  local folder=$1 requirements=$2 finish=$3
  mkdir -p "$folder"
  (
    # Two runs at once must not both make it.
    flock 9
    cmp --silent "$requirements" "$folder/ready/requirements.txt" || make_python_environment "$folder" "$requirements" "$finish"
  ) 9>"$folder/lock"
}

# The environment is made beside its place and moved there whole, so that half of one is never taken for one.
make_python_environment() {
  local folder=$1 requirements=$2 finish=$3 python="" candidate making packages
  for candidate in python3.11 python3.12 python3.13 python3; do
    # The versions that are pinned have wheels for these.
    if command -v "$candidate" >/dev/null \
      && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  [[ -n $python ]] || unavailable "needs Python 3.11 to 3.13 with venv (the package python3-venv)"
  # What a run that was killed has left.
  rm -rf "$folder"/making.*
  making=$(mktemp -d "$folder/making.XXXXXX") || unavailable "cannot write to $folder"
  echo "Installing what $(realpath --relative-to=. "$requirements") names, up to 400 MB …" >&2
  "$python" -m venv "$making/env" || unavailable "cannot make a virtual environment in $folder"
  timeout 900 "$making/env/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
    --requirement "$requirements" </dev/null \
    || unavailable "could not install $requirements from PyPI; is the network there, and room in $folder?"
  packages=$("$making/env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$finish" "$making" "$packages" || unavailable "no room in $folder?"
  cp "$requirements" "$making/requirements.txt" || unavailable "no room in $folder?"
  rm -rf "$folder/ready"
  mv "$making" "$folder/ready"
}

# has_sum FILE SHA-256
has_sum() { echo "$2  $1" | sha256sum --check --status; }
