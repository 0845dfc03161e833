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

# A wallet that is made is a collection only after the next start.
prepare_keyring() {
    [[ -e $WALLETS/$WALLET.kwl ]] && return
    mkdir -p -m 700 "$WALLETS"
    head -c 56 /dev/urandom >"$WALLETS/$WALLET.salt"
    printf '[Wallet]\nFirst Use=false\n' >"$XDG_CONFIG_HOME/kwalletrc"
    start_process unlocked
    open_keyring
    wait_until test -e "$WALLETS/$WALLET.kwl" || fail "the wallet was not made; see $log_file"
    end_daemon
}

prepare_locked() { :; }

run_daemon() {
    QT_QPA_PLATFORM=offscreen exec "${DETACHED[@]}" kwalletd5
}

feed_daemon() { :; }

# As pam_kwallet: the wallet's key is derived from the password and the salt.
open_keyring() {
    local key
    key=$(/usr/bin/python3 -c '
import hashlib, sys
key = hashlib.pbkdf2_hmac("sha512", sys.argv[1].encode(), open(sys.argv[2], "rb").read(), 50000, 56)
print(*key, sep=",")' "$PASSWORD" "$WALLETS/$WALLET.salt")
    wallet_daemon pamOpen "string:$WALLET" "array:byte:$key" int32:0 >/dev/null
}

is_open() { [[ $(wallet_daemon isOpen "string:$WALLET") == *true* ]]; }

lock_all() { wallet_daemon closeAllWallets >/dev/null; }

# A wallet is written five seconds after the last change, or when it is closed.
quit_daemon() {
    lock_all
    kill -TERM "$1"
}
