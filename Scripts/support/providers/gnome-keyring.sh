# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# How keyring-control, which reads this file, handles gnome-keyring. A login
# unlocks the login keyring by its password, and all others stay locked.

readonly PROCESS_NAME=gnome-keyring-d

# Makes what is stored before the first start: nothing. Starts whoever stands in for
# the person at its dialogs, where SSC_PERSON names one: what that one is told to do
# is written to the pipe $SSC_SESSION_DIR/person.
prepare_keyring() {
    [[ -n ${SSC_PERSON:-} && ! -e $SSC_SESSION_DIR/person ]] || return 0
    mkfifo "$SSC_SESSION_DIR/person"
    "${DETACHED[@]}" "$SSC_PERSON" "$SSC_SESSION_DIR/person-name" <> "$SSC_SESSION_DIR/person" \
        >/dev/null 2>&1 &
    wait_until test -s "$SSC_SESSION_DIR/person-name" || fail "$SSC_PERSON did not start"
}

# Makes what the daemon needs before it can start locked: a keyring can only be
# locked if there is one.
prepare_locked() {
    [[ -e $XDG_DATA_HOME/keyrings/login.keyring ]] && return
    start_daemon unlocked
    end_daemon
}

# Makes it as if nobody had ever had a keyring.
prepare_fresh() { rm -rf "$XDG_DATA_HOME/keyrings"; }

# Becomes the daemon, with a standard input from feed_daemon.
run_daemon() {
    local keyring_option=()
    [[ $1 != unlocked ]] || keyring_option=(--unlock)
    if [[ -e $SSC_SESSION_DIR/person-name ]]; then
        GNOME_KEYRING_TEST_PROMPTER=$(<"$SSC_SESSION_DIR/person-name")
        export GNOME_KEYRING_TEST_PROMPTER
    fi
    exec "${DETACHED[@]}" gnome-keyring-daemon --foreground --components=secrets \
        ${keyring_option[@]+"${keyring_option[@]}"}
}

# Exactly the bytes of the password: a newline would be part of it.
feed_daemon() {
    [[ $1 != unlocked ]] || printf %s "$PASSWORD"
}

# The rest of a login: what --unlock does not do.
open_keyring() { :; }

is_open() { is_unlocked /org/freedesktop/secrets/collection/login; }

is_shut() { is_locked /org/freedesktop/secrets/collection/login; }

add_keyring() { fail "gnome-keyring's keyrings are made through it"; }

remove_keyring() { add_keyring; }

lock_all() {
    local paths
    paths=$(collections | paste -sd,) || return
    ask_service /org/freedesktop/secrets org.freedesktop.Secret.Service.Lock "array:objpath:$paths" >/dev/null
}

# Ends the daemon as a logout does, unless it has just ended by itself.
quit_daemon() { kill -TERM "$1" 2>/dev/null || true; }
