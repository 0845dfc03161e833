# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What the scripts need from the machine. To be sourced:
#
#   . "$(dirname "${BASH_SOURCE[0]}")/support/requirements.sh"
#   require_packages dbus gnome-keyring
#   require_swift
#   require_python_venv "$directory" msal==1.31.0
#
# Each function is quick when everything is there already, installs what is
# missing, and ends the script with a message when that cannot be done.

# The oldest Swift that the package builds with.
readonly SSC_SWIFT_MINIMUM=6.2

# Ends the calling script with a message.
_ssc_fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Prints those of the given Debian packages that are not installed.
_ssc_missing_packages() {
    local package status
    for package in "$@"; do
        status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || status=""
        [[ $status == installed ]] || printf '%s\n' "$package"
    done
}

# Runs a command as root: directly, or with sudo.
_ssc_as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -- "$@"
    else
        return 126
    fi
}

# Runs apt-get: it tries a download again, and waits for another installation to be done.
_ssc_apt_get() {
    _ssc_as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get --quiet=2 -o Acquire::Retries=5 -o DPkg::Lock::Timeout=600 "$@"
}

# Refreshes apt's package lists, once in a script's life.
_ssc_update_package_lists() {
    [[ -z ${_ssc_package_lists_updated:-} ]] || return 0
    # It waits for dpkg's locks, and not for that of the lists, which a machine holds for a while after its start.
    local attempt
    for attempt in {1..7}; do
        if _ssc_apt_get update >&2; then
            _ssc_package_lists_updated=1
            return
        fi
        ((attempt == 7)) || sleep 10
    done
    return 1
}

# require_packages PACKAGE...
#
# Installs those of the Debian packages that are missing.
require_packages() {
    local missing=()
    command -v dpkg-query >/dev/null ||
        _ssc_fail "this script installs what it needs with apt-get. Not a Debian or Ubuntu system: install the counterparts of these packages by hand: $*"
    mapfile -t missing < <(_ssc_missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0

    if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
        _ssc_fail "these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}
Run as root: apt-get install --no-install-recommends ${missing[*]}"
    fi
    printf 'Installing %s …\n' "${missing[*]}" >&2
    # A failing update is not the end: the lists may be recent enough.
    _ssc_update_package_lists || printf '%s\n' "apt-get update failed; trying with the package lists there are." >&2
    _ssc_apt_get install --yes --no-install-recommends "${missing[@]}" >&2 ||
        _ssc_fail "could not install ${missing[*]}"
}

# Whether version $1 is at least version $2 (numbers and dots).
_ssc_version_at_least() {
    [[ $(printf '%s\n' "$1" "$2" | sort --version-sort | head -n 1) == "$2" ]]
}

# Prints the version of the Swift compiler on the PATH, such as 6.2.1.
_ssc_swift_version() {
    local text
    command -v swift >/dev/null || return 1
    text=$(swift --version 2>/dev/null) || return 1
    [[ $text =~ Swift\ version\ ([0-9]+(\.[0-9]+)+) ]] || return 1
    printf '%s\n' "${BASH_REMATCH[1]}"
}

# Prints the version of Debian's own Swift package that apt would install.
_ssc_swift_candidate() {
    local line
    command -v apt-cache >/dev/null || return 1
    line=$(apt-cache policy swiftlang 2>/dev/null | grep --max-count=1 'Candidate:') || return 1
    [[ $line =~ Candidate:\ ([0-9]+:)?([0-9]+(\.[0-9]+)+) ]] || return 1
    printf '%s\n' "${BASH_REMATCH[2]}"
}

# Makes sure of a Swift compiler that is new enough.
require_swift() {
    local found candidate
    found=$(_ssc_swift_version) || found=""
    if [[ -n $found ]] && _ssc_version_at_least "$found" "$SSC_SWIFT_MINIMUM"; then
        return 0
    fi
    candidate=$(_ssc_swift_candidate) || candidate=""
    if [[ -n $candidate ]] && _ssc_version_at_least "$candidate" "$SSC_SWIFT_MINIMUM"; then
        require_packages swiftlang
        hash -r
        found=$(_ssc_swift_version) || found=""
        if [[ -n $found ]] && _ssc_version_at_least "$found" "$SSC_SWIFT_MINIMUM"; then
            return 0
        fi
    fi
    _ssc_fail "Swift $SSC_SWIFT_MINIMUM or newer is needed (found: ${found:-none}). Install it from https://www.swift.org/install/linux/ and put its bin directory on the PATH."
}

# Whether a virtual environment has a package in exactly this version.
# $1: the directory; $2: NAME==VERSION
_ssc_venv_has() {
    local name=${2%%==*} version=${2#*==} found
    name=${name%%\[*}
    # The name as installers write it into the directory's name.
    name=$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]' | sed -E 's/[-_.]+/_/g')
    for found in "$1"/lib/python3*/site-packages/*-"$version".dist-info; do
        [[ -d $found ]] || continue
        found=${found##*/}
        found=$(printf '%s' "${found%-"$version".dist-info}" | tr '[:upper:]' '[:lower:]' | sed -E 's/[-_.]+/_/g')
        [[ $found == "$name" ]] && return 0
    done
    return 1
}

# require_python_venv [--system-site-packages] DIR NAME==VERSION...
#
# Makes sure of a Python virtual environment in DIR that has these packages in
# exactly these versions. Reuses what is there.
require_python_venv() {
    local options=() directory package missing=()
    if [[ ${1:-} == --system-site-packages ]]; then
        options=("$1")
        shift
    fi
    directory=${1:?require_python_venv: a directory is needed}
    shift
    for package in "$@"; do
        [[ $package == *?==?* ]] || _ssc_fail "require_python_venv: pin the version of $package (NAME==VERSION)"
        _ssc_venv_has "$directory" "$package" || missing+=("$package")
    done
    if [[ ! -x $directory/bin/python ]]; then
        require_packages python3 python3-venv
        # The system's own Python: a virtual environment made with another one
        # would break when that one is gone, and could not see Debian's modules.
        /usr/bin/python3 -m venv ${options[@]+"${options[@]}"} "$directory" ||
            _ssc_fail "could not make a Python virtual environment in $directory"
        missing=("$@")
    fi
    [[ ${#missing[@]} -gt 0 ]] || return 0
    printf 'Installing %s …\n' "${missing[*]}" >&2
    "$directory/bin/python" -m pip install --quiet --disable-pip-version-check \
        "${missing[@]}" >&2 || _ssc_fail "could not install ${missing[*]} into $directory"
}
