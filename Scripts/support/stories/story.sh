# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What the demo's stories have in common. Every line of output is what the command
# before it really printed, and every step is checked: a story ends with an error
# when one goes otherwise than told.

# A token counts as expired the buffer before it does.
: "${TOKEN_SECONDS:=12}" "${BUFFER_SECONDS:=1}"

step() { printf '\n# %s\n' "$*"; }

# run STATUS TEXT COMMAND…: shows the command and what it prints, and checks its
# exit status and that the output, which it leaves in output, holds TEXT.
run() {
    local status=$1 text=$2 seen=0
    shift 2
    printf '$ %s\n' "$*"
    output=$("$@" 2>&1) || seen=$?
    printf '%s\n' "$output"
    if [[ $seen -ne $status ]]; then
        printf 'demo: expected exit status %s, saw %s\n' "$status" "$seen" >&2
        exit 1
    fi
    if [[ $output != *"$text"* ]]; then
        printf 'demo: expected to read: %s\n' "$text" >&2
        exit 1
    fi
}

let_the_token_expire() {
    local seconds=$((TOKEN_SECONDS - BUFFER_SECONDS + 1))
    printf '$ sleep %s\n' "$seconds"
    sleep "$seconds"
}

# start_provider: a real OpenID Connect provider, which ends with the story; sets
# issuer.
start_provider() {
    local provider=$SSC_SESSION_DIR/provider details
    details=$(oidc-provider start "$provider" --access-token-seconds "$TOKEN_SECONDS" --scope suite.read \
        --client "contoso-suite=http://127.0.0.1:8401/com.contoso.mail,http://127.0.0.1:8402/com.contoso.calendar,msauth.com.contoso.mail://auth")
    at_the_end oidc-provider stop "$provider"
    # shellcheck disable=SC2034  # for the story
    issuer=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["issuer"])' "$details")
}

endings=()
at_the_end() { endings+=("$(printf '%q ' "$@")"); }
end_story() {
    local number
    for ((number = ${#endings[@]} - 1; number >= 0; number--)); do eval "${endings[number]}" || true; done
}
trap end_story EXIT

export CONTOSO_EXPIRY_BUFFER=$BUFFER_SECONDS
# A script stands in for the browser and for the person at it.
BROWSER=$(command -v browser)
export BROWSER
