# Steps of .ci/run. Each says its name before its output and its seconds after it; the first that fails ends the run.

# step <command>: runs it alone, its output as it comes.
step() {
  local begun=$SECONDS status=0
  printf '\n== %s\n' "$*"
  "$@" || status=$?
  printf '== %s: %s after %d s\n' "$*" "$(outcome "$status")" $((SECONDS - begun))
  return "$status"
}

# quietly <command>: the same for a step that runs beside others: its output comes whole when it has ended.
quietly() {
  local output begun=$SECONDS status=0
  output="$(mktemp)"
  "$@" >"$output" 2>&1 </dev/null || status=$?
  {
    flock 9
    printf '\n== %s: %s after %d s\n' "$*" "$(outcome "$status")" $((SECONDS - begun))
    cat "$output"
  } 9>"$LANES_LOCK"
  rm -f "$output"
  return "$status"
}

outcome() { if [ "$1" -eq 0 ]; then echo done; else echo "FAILED with $1"; fi; }

# lanes <function>...: runs the functions beside each other. Where one fails, the others are ended, with all that they have started.
lanes() {
  local lane status=0
  LANES_LOCK="$(mktemp)"
  LANES=()
  # Each lane is a process group of its own, which can be ended whole.
  set -m
  for lane in "$@"; do
    (
      set -e
      "$lane"
    ) &
    LANES+=("$!")
  done
  set +m
  trap end_lanes EXIT
  for lane in "$@"; do
    wait -n || status=$?
    if [ "$status" -ne 0 ]; then exit "$status"; fi
  done
  end_lanes
  trap - EXIT
}

end_lanes() {
  local pid
  for pid in "${LANES[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  rm -f "$LANES_LOCK"
}
