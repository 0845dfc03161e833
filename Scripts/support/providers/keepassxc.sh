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
readonly DATABASE=Passwords

main_window() {
    ask --dest=org.keepassxc.KeePassXC.MainWindow /keepassxc "org.keepassxc.KeePassXC.MainWindow.$1" "${@:2}"
}

# Makes a database, which says by a group's UUID what it shows to the Secret
# Service. $1: the name
make_database() {
    local file=$HOME/$1.kdbx xml=$SSC_SESSION_DIR/database.xml uuid base64
    uuid=$(</proc/sys/kernel/random/uuid)
    base64=$(printf %s "${uuid//-/}" | xxd -r -p | base64)
    cat >"$xml" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<KeePassFile>
  <Meta>
    <DatabaseName>$1</DatabaseName>
    <RecycleBinEnabled>False</RecycleBinEnabled>
    <CustomData>
      <Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{$uuid}</Value></Item>
    </CustomData>
  </Meta>
  <Root><Group><UUID>$base64</UUID><Name>Root</Name></Group></Root>
</KeePassFile>
XML
    printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" |
        keepassxc-cli import --quiet --set-password --decryption-time 100 "$xml" "$file" >>"$log_file" 2>&1 ||
        fail "the database was not made; see $log_file"
    rm "$xml"
}

prepare_keyring() {
    [[ -e $HOME/$DATABASE.kdbx ]] && return
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

# Puts it in front as well, and what is in front is the default collection. $1: the
# database's name, if it is not the first one
open_keyring() {
    main_window openDatabase "string:$HOME/${1:-$DATABASE}.kdbx" "string:$PASSWORD" string: >/dev/null
}

# Whether it is open, and in front.
is_open() {
    local path default
    path=/org/freedesktop/secrets/collection/$(sed 's/_/_5F/g; s/\./_2E/g; s/-/_2D/g' <<<"${1:-$DATABASE}")
    default=$(ask_service /org/freedesktop/secrets org.freedesktop.Secret.Service.ReadAlias string:default)
    [[ $default == *"$path" ]] && is_unlocked "$path"
}

# Whether all are locked, and so saved.
is_shut() {
    local paths path
    paths=$(collections) && [[ -n $paths ]] || return
    for path in $paths; do is_locked "$path" || return; done
}

add_keyring() {
    make_database "$1"
    bring_about is_open open_keyring "$1" || fail "the database was not opened; see $log_file"
    bring_about is_open open_keyring || fail "the first database did not come in front again; see $log_file"
}

remove_keyring() {
    end_daemon
    rm "$HOME/$1.kdbx"
    start_daemon unlocked
}

# Saves as well. While a database is being saved, it does nothing; and now and then
# 2.7.4 answers and never locks, for a reason that is not known, more often on a busy
# machine: it is given a moment to come to rest first, and a minute in all.
readonly LOCK_LIMIT_SECONDS=60
lock_all() {
    sleep 1
    main_window lockAllDatabases >/dev/null
}

# SIGTERM does not end it without a screen.
quit_daemon() {
    lock_keyrings
    kill -KILL "$1" || fail "it has crashed; see $log_file"
}
