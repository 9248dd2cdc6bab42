#!/usr/bin/env bash
# Checks format, static analysis, layers, English, scripts and Verilog. clang-tidy reads all of systemc/. With file
# names, it reads only these C++ sources; with --since REVISION, those that changed since then in more than #include
# lines; with --no-tidy, none.
set -uo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.." || exit 1

if [[ ${1:-} == --since ]] && ! git rev-parse --quiet --verify "${2:-}^{commit}" >/dev/null; then
  echo "lint: --since: unknown revision '${2:-}'" >&2
  exit 2
fi

failures=0
check() {  # check WHAT COMMAND...: runs the command and records if it fails
  local what="$1" start=$SECONDS
  shift
  if "$@"; then
    echo "lint: $what: ok ($((SECONDS - start)) s)"
  else
    echo "lint: $what: FAILED" >&2
    failures=$((failures + 1))
  fi
}

cxx_files() { find systemc tb -name '*.h' -o -name '*.cpp' | sort; }
script_files() { find scripts .ci tb -type f ! -path '*/__pycache__/*' -print0 | xargs -0 grep -lI -m1 "^#!.*$1" | sort; }

format() { cxx_files | xargs -r clang-format --dry-run -Werror; }

# The sources of systemc/ that changed since revision $1 in more than #include lines, blank lines and comments. If a
# header changed, its source stands for it.
changed_sources() {
  local file source
  while IFS= read -r file; do
    git diff --unified=0 "$1" -- "$file" | grep -E '^[+-]' | grep -Ev '^(\+\+\+|---) ' |
      grep -Ev '^[+-][[:space:]]*(#include .*|//.*)?$' >/dev/null || continue
    source="${file%.*}.cpp"
    # If a header has no source file, a source that includes it stands for it.
    [[ -f $source ]] || source="$(grep -rlF --include='*.cpp' "#include \"${file#systemc/}\"" systemc | sort | head -n 1)"
    [[ -z $source ]] || echo "$source"
  done < <(git diff --name-only "$1" -- 'systemc/*.cpp' 'systemc/*.h') | sort -u
}

# Only the model: the format and the compiler's warnings are enough for tests. The preset is separate because clang
# rejects GCC's flags for link-time optimisation.
tidy() {
  { cmake --preset lint && cmake --build build/lint --target systemc/generated/workload/chakra/execution_trace.pb.h systemc/generated/system/output/perfetto_trace.pb.h; } \
    >build/lint.log 2>&1 || { cat build/lint.log; return 1; }
  # On stderr, the filter removes the counts of suppressed warnings in system headers; diagnostics are on stdout.
  { if [[ $# -gt 0 ]]; then realpath "$@"; else scripts/list_sources build/lint/compile_commands.json | grep /systemc/; fi; } |
    xargs -r -P "$(nproc)" -n 1 clang-tidy --quiet -p build/lint 2> >(grep -Ev '^([0-9]+ (warnings?|errors?)( and )?)+ generated|^Error while processing' >&2)
}

# Misspelt words. scripts/prose_words.txt lists correct words that codespell takes for misspelt ones.
spelling() {
  git ls-files -z | grep -zEv '\.(svg|png|csv|et|woff2?)$|\.min\.js$|^tb/fuzz/(seeds|regressions)/|^configs/machines/measured/' |
    xargs -0 codespell --ignore-words scripts/prose_words.txt
}

# A script must be executable and start with a #! line, so that its caller need not know its language.
executable_bits() {
  local bad=0 file
  while IFS= read -r -d '' file; do
    read -r first <"$file" || true
    case "${first:-}" in
      '#!/usr/bin/env bash' | '#!/usr/bin/python3')
        [[ -x $file ]] || { echo "$file: starts with #! but is not executable: chmod +x $file"; bad=1; } ;;
      '#!'*)
        echo "$file:1: $first: scripts start with #!/usr/bin/env bash or #!/usr/bin/python3"; bad=1 ;;
      *)
        [[ ! -x $file ]] || { echo "$file: executable without #!: chmod -x $file"; bad=1; } ;;
    esac
  done < <(git ls-files -z scripts .ci tb systemc)
  return "$bad"
}

# Every Verilog file as a top module, and also the tile with clock gates, must pass Verilator, Icarus and Yosys without
# warnings.
verilog() {
  local bad=0 file folder top said
  for file in rtl/*/*.v systemc/cosim/verilated/*.v; do
    folder="$(dirname "$file")"
    top="$(basename "$file" .v)"
    said="$({
      verilator --lint-only -Wall -y "$folder" -y rtl/ni -y rtl/router -y rtl/memory -y rtl/tile --top-module "$top" "$file"
      iverilog -g2005 -Wall -t null -I rtl/ni -y "$folder" -y rtl/ni -y rtl/router -y rtl/memory -y rtl/tile -s "$top" "$file"
    } 2>&1)"
    [[ -z $said ]] || { echo "$said"; bad=1; }
  done
  said="$({
    verilator --lint-only -Wall -y rtl/ni -y rtl/router -y rtl/memory -y rtl/tile -GGATES=1 --top-module axi_tile rtl/tile/axi_tile.v
    iverilog -g2005 -Wall -t null -I rtl/ni -y rtl/ni -y rtl/router -y rtl/memory -y rtl/tile -Paxi_tile.GATES=1 -s axi_tile rtl/tile/axi_tile.v
  } 2>&1)"
  [[ -z $said ]] || { echo "$said"; bad=1; }
  said="$(yosys -q -p "read_verilog -I rtl/ni rtl/*/*.v systemc/cosim/verilated/*.v; hierarchy -check" 2>&1)"
  [[ -z $said ]] || { echo "$said"; bad=1; }
  return "$bad"
}

mkdir -p build
check "clang-format" format
check "layering" scripts/check_layers
check "executable bits" executable_bits
check "English" scripts/prose
check "spelling" spelling
check "numbers of documents" scripts/docs/numbers --check
mapfile -t shell_scripts < <(script_files bash)
check "shellcheck" shellcheck "${shell_scripts[@]}"
mapfile -t python_scripts < <(script_files python3)
check "pyflakes" pyflakes3 "${python_scripts[@]}"
check "Verilog" verilog
if [[ ${1:-} == --no-tidy ]]; then
  echo "lint: clang-tidy: skipped"
elif [[ ${1:-} == --since ]]; then
  git rev-parse --quiet --verify "${2:-}^{commit}" >/dev/null || { echo "lint: --since: no revision '${2:-}'" >&2; exit 2; }
  mapfile -t sources < <(changed_sources "$2")
  echo "lint: clang-tidy: ${#sources[@]} sources have changed since $2"
  [[ ${#sources[@]} -eq 0 ]] || check "clang-tidy" tidy "${sources[@]}"
else
  check "clang-tidy" tidy "$@"
fi

if [[ $failures -gt 0 ]]; then
  echo "lint: $failures checks failed" >&2
  exit 1
fi
