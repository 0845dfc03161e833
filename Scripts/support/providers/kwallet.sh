# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# How keyring-control, which reads this file, handles KWallet 5. A login opens
# the wallet by its password, through pam_kwallet; to the Secret Service it is
# locked even so until a program asks to unlock it, and then there is no dialog.

readonly PROCESS_NAME=kwalletd5
readonly WALLET=kdewallet
readonly WALLETS=$XDG_DATA_HOME/kwalletd

wallet_daemon() {
    ask --dest=org.kde.kwalletd5 /modules/kwalletd5 "org.kde.KWallet.$1" "${@:2}"
}

# Makes a wallet, which is a collection after the next start.
make_wallet() {
    head -c 56 /dev/urandom >"$WALLETS/$1.salt"
    bring_about has_wallet open_keyring "$1" || fail "the wallet was not made; see $log_file"
}

has_wallet() { [[ -e $WALLETS/$1.kwl ]]; }

prepare_keyring() {
    [[ -e $WALLETS/$WALLET.kwl ]] && return
    mkdir -p -m 700 "$WALLETS"
    printf '[Wallet]\nFirst Use=false\n' >"$XDG_CONFIG_HOME/kwalletrc"
    start_process unlocked
    make_wallet "$WALLET"
    end_daemon
}

prepare_locked() { :; }

prepare_fresh() { fail "only gnome-keyring starts without a keyring"; }

run_daemon() {
    QT_QPA_PLATFORM=offscreen exec "${DETACHED[@]}" kwalletd5
}

feed_daemon() { :; }

# As pam_kwallet: the wallet's key is derived from the password and the salt. $1: the
# wallet's name, if it is not the login's
open_keyring() {
    local wallet=${1:-$WALLET} key
    key=$(/usr/bin/python3 -c '
import hashlib, sys
key = hashlib.pbkdf2_hmac("sha512", sys.argv[1].encode(), open(sys.argv[2], "rb").read(), 50000, 56)
print(*key, sep=",")' "$PASSWORD" "$WALLETS/$wallet.salt")
    wallet_daemon pamOpen "string:$wallet" "array:byte:$key" int32:0 >/dev/null
}

is_open() { [[ $(wallet_daemon isOpen "string:${1:-$WALLET}") == *"boolean true"* ]]; }

is_shut() {
    local reply
    reply=$(wallet_daemon isOpen "string:$WALLET") && [[ $reply != *"boolean true"* ]]
}

add_keyring() {
    make_wallet "$1"
    end_daemon
    start_daemon unlocked
    bring_about is_open open_keyring "$1" || fail "the wallet was not opened; see $log_file"
}

delete_wallet() { wallet_daemon deleteWallet "string:$1" >/dev/null; }

lacks_wallet() { ! has_wallet "$1"; }

remove_keyring() { bring_about lacks_wallet delete_wallet "$1" || fail "the wallet was not deleted"; }

lock_all() { wallet_daemon closeAllWallets >/dev/null; }

# A wallet is written five seconds after the last change, or when it is closed.
quit_daemon() {
    lock_keyrings
    kill -TERM "$1" 2>/dev/null || true
}
