# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# How keyring-control, which reads this file, handles KeePassXC: one database,
# which is the default collection.
#
# The settings are the program's own but for these: it must not ask before one
# program reads what another stored, because nobody is here to answer, and not
# save after each change, because 2.7.4 crashes when an item is made meanwhile.

readonly PROCESS_NAME=keepassxc
readonly DATABASE=$HOME/Passwords.kdbx

main_window() {
    ask --dest=org.keepassxc.KeePassXC.MainWindow /keepassxc "org.keepassxc.KeePassXC.MainWindow.$1" "${@:2}"
}

# Makes a database, which says by a group's UUID what it shows to the Secret
# Service. $1: the file, and so the name
make_database() {
    local xml=$SSC_SESSION_DIR/database.xml uuid base64
    uuid=$(</proc/sys/kernel/random/uuid)
    base64=$(printf %s "${uuid//-/}" | xxd -r -p | base64)
    cat >"$xml" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<KeePassFile>
  <Meta>
    <DatabaseName>$(basename "$1" .kdbx)</DatabaseName>
    <RecycleBinEnabled>False</RecycleBinEnabled>
    <CustomData>
      <Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{$uuid}</Value></Item>
    </CustomData>
  </Meta>
  <Root><Group><UUID>$base64</UUID><Name>Root</Name></Group></Root>
</KeePassFile>
XML
    printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" |
        keepassxc-cli import --quiet --set-password --decryption-time 100 "$xml" "$1" >>"$log_file" 2>&1 ||
        fail "the database was not made; see $log_file"
    rm "$xml"
}

prepare_keyring() {
    [[ -e $DATABASE ]] && return
    make_database "$DATABASE"
    cat >"$XDG_CONFIG_HOME/keepassxc.ini" <<'INI'
[General]
ConfigVersion=2
UpdateCheckMessageShown=true
SingleInstance=false
OpenPreviousDatabasesOnStartup=false
AutoSaveAfterEveryChange=false

[GUI]
CheckForUpdates=false

[FdoSecrets]
Enabled=true
ShowNotification=false
ConfirmAccessItem=false
INI
    : >"$XDG_CACHE_HOME/keepassxc.ini"
}

prepare_locked() { :; }

prepare_fresh() { fail "only gnome-keyring starts without a keyring"; }

run_daemon() {
    QT_QPA_PLATFORM=offscreen exec "${DETACHED[@]}" keepassxc --config "$XDG_CONFIG_HOME/keepassxc.ini" \
        --localconfig "$XDG_CACHE_HOME/keepassxc.ini" "$HOME"/*.kdbx
}

feed_daemon() { :; }

# Puts it in front as well, and what is in front is the default collection.
open_database() { main_window openDatabase "string:$1" "string:$PASSWORD" string: >/dev/null; }

open_keyring() { open_database "$DATABASE"; }

is_open() { is_unlocked /org/freedesktop/secrets/aliases/default; }

add_keyring() {
    make_database "$HOME/$1.kdbx"
    open_database "$HOME/$1.kdbx"
    open_keyring
}

remove_keyring() {
    end_daemon
    rm "$HOME/$1.kdbx"
    start_daemon unlocked
}

# Saves as well.
lock_all() { main_window lockAllDatabases >/dev/null; }

# Asks again each second: while a database is being saved, locking it does nothing.
asked=-1
locks_now() {
    if ((SECONDS > asked)); then
        asked=$SECONDS
        lock_all
    fi
    is_shut
}

# SIGTERM does not end it without a screen.
#
# Now and then 2.7.4 answers and never locks, for a reason that is not known: it is
# given a moment to come to rest first.
quit_daemon() {
    sleep 1
    wait_until locks_now || fail "the databases were not locked; its last words: $(tail -n 3 "$log_file")"
    kill -KILL "$1"
}
