#!/usr/bin/env bash
# setup.sh PURPOSE...: installs the packages of scripts/packages_PURPOSE.txt that are missing (run, test, hardware,
# lint, docs, experiments, explore, fuzz, packaging, slurm). Quick, silent and offline if none is missing.
set -euo pipefail

lists=()
if [[ $# -eq 0 ]]; then
  echo "setup: name one or more purposes, as in setup.sh run test; each has a scripts/packages_PURPOSE.txt" >&2
  exit 2
fi
for purpose in "$@"; do
  list="$(dirname "$(realpath "${BASH_SOURCE[0]}")")/packages_$purpose.txt"
  if [[ ! -r $list ]]; then
    echo "setup: the list $list does not exist" >&2
    exit 2
  fi
  lists+=("$list")
done
mapfile -t packages < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${lists[@]}")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  {
    echo "setup: this is not a Debian system: install the contents of these Debian 12 packages yourself,"
    echo "setup: then build with cmake --preset release && cmake --build --preset release"
    printf '  %s\n' "${packages[@]}"
  } >&2
  exit 1
fi

# dpkg-query exits with status 1 if it does not know a package; the package then counts as missing.
installed="$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/ installed$//p' || true)"
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
# Packages marked "(not in Debian 13)" are skipped if apt does not know them. Targets that need them say so.
mapfile -t optional < <(sed -n 's/^\([^ #]*\).*(not in Debian 13).*/\1/p' "${lists[@]}")
leave_out_unknown() {
  local package kept=()
  for package in "${missing[@]}"; do
    if [[ " ${optional[*]} " != *" $package "* ]] || apt-cache show "$package" >/dev/null 2>&1; then
      kept+=("$package")
    fi
  done
  missing=("${kept[@]}")
}
# apt-cache knows no packages without an index, so this is repeated after apt-get update.
if apt-cache show "${packages[0]}" >/dev/null 2>&1; then
  leave_out_unknown
fi
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

install=(apt-get install -y --no-install-recommends)
as_root=()
if [[ $EUID -ne 0 ]]; then
  # sudo cannot ask for a password without a terminal.
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
    as_root=(sudo)
  else
    {
      echo "setup: ${#missing[@]} packages are missing, and installing them needs root or sudo. As root, run:"
      echo "  apt-get update && ${install[*]} ${missing[*]}"
    } >&2
    exit 1
  fi
fi

echo "setup: installing ${missing[*]} (a minute or two)"
as_root+=(env DEBIAN_FRONTEND=noninteractive)
# The installation may succeed although the index cannot be refreshed.
"${as_root[@]}" apt-get -qq update </dev/null || echo "setup: apt-get update failed; trying the known packages" >&2
leave_out_unknown
if ! "${as_root[@]}" "${install[@]}" "${missing[@]}" -qq -o Dpkg::Use-Pty=0 </dev/null >/dev/null; then
  {
    echo "setup: apt-get could not install the packages: see its message above. Coppice needs Debian 12 or a"
    echo "setup: newer Debian or Ubuntu, with its main (Ubuntu: universe) repository reachable."
  } >&2
  exit 1
fi
