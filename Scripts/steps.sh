# Runs the steps of test.sh and check.sh; to be sourced after lib.sh, not run.
#
# The script sets `all_steps`, `filtered_steps` and `other_script`, defines a function `title`, and a
# function `step_NAME` for each step, then calls `run_steps "$@"`.

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# Arguments of `swift test` for the tests that were asked for; empty for all of them.
filter=()

# choose_steps [STEP]... | STEP FILTER: sets `steps` and `filter`.
choose_steps() {
    local step
    steps=("$@")
    [ $# -gt 0 ] || steps=("${all_steps[@]}")
    if [ $# -eq 2 ] && is_in "$1" "${filtered_steps[@]}" && ! is_in "$2" "${all_steps[@]}"; then
        steps=("$1")
        filter=(--filter "$2")
    fi
    for step in "${steps[@]}"; do
        is_in "$step" "${all_steps[@]}" || die "there is no step '$step'; the steps are: ${all_steps[*]}" \
            "After one of these alone it may be a filter for the tests: ${filtered_steps[*]}" \
            "The other steps are those of $other_script."
    done
}

is_in() {
    local word=$1
    shift
    case " $* " in *" $word "*) ;; *) return 1 ;; esac
}

# provide OPTION...: installs what a step needs, unless the step libraries has done so in this run.
has_libraries=''
provide() {
    [ -n "$has_libraries" ] || "$ROOT/Scripts/bootstrap.sh" "$@"
}

# run_steps [ARGUMENT]...: runs what the arguments choose, and prints a summary.
run_steps() {
    local step started status took line closing failures=0 summary=()
    choose_steps "$@"
    require_swift
    check_writable
    check_folder_name
    for step in "${steps[@]}"; do
        say "$(title "$step")"
        started=$SECONDS
        status=0
        "step_$step" 2>&1 | tee "$logs/$step" || status=$?
        took=$((SECONDS - started))
        if [ $status -eq 0 ]; then
            summary+=("$(printf 'passed  %4d s  %s' $took "$(title "$step")")")
        else
            failures=$((failures + 1))
            summary+=("$(printf 'FAILED  %4d s  %s' $took "$(title "$step")")")
            # Repeat the errors in the summary; the originals may be thousands of lines above.
            while IFS= read -r line; do summary+=("        ${line:0:300}"); done < <(
                grep -aE 'recorded an issue|Fatal error|(^|[^a-z])error:|(WARNING|ERROR): ([A-Z][a-z]*Sanitizer|libFuzzer)' \
                    "$logs/$step" | head -n 12 || true
            )
        fi
        # Repeat the test runner's last line in the summary.
        closing=$(grep -aE 'Test run with [0-9]+ test' "$logs/$step" | tail -n 1 || true)
        [ -z "$closing" ] || summary+=("                ${closing##*Test run}")
        # Tests need the build, and the build needs the libraries.
        if [ $status -ne 0 ] && { [ "$step" = libraries ] || [ "$step" = build ]; }; then
            summary+=("        (later steps were skipped)")
            break
        fi
        [ "$step" != libraries ] || has_libraries=1
    done

    printf '\n'
    say "Summary" 2>&1
    printf '%s\n' "${summary[@]}" | sed 's/^  *with /                with /'
    if [ $failures -gt 0 ]; then
        printf '%s\n' "$failures failed."
        exit 1
    fi
    printf '%s\n' "All passed."
}
