# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What the scripts need from the machine. To be sourced:
#
#   . "$(dirname "${BASH_SOURCE[0]}")/support/requirements.sh"
#   require_packages dbus gnome-keyring
#   require_swift
#   require_python_venv "$directory" requirements.txt
#
# Each function is quick when everything is there already, installs what is
# missing, and ends the script with a message when that cannot be done.

# The oldest Swift that the package builds with, and the one that is fetched when there is none.
readonly SSC_SWIFT_MINIMUM=6.2 SSC_SWIFT_FETCHED=6.3.1

# The options of every debug build, so that none builds again what another one has built. A target that imports what it
# does not depend on fails: so the models build without libsecret. Nobody debugs these builds, and indexes the system
# with them: that takes a tenth of the time. With its manifest cached, SwiftPM would take another package's plan in the
# same folder for this one's.
# shellcheck disable=SC2034  # for those who read this file
readonly SWIFT_DEBUG_OPTIONS=(--disable-build-manifest-caching --explicit-target-dependency-import-check error
    -debug-info-format none -Xswiftc -index-ignore-system-modules)

# What a toolchain of swift.org takes from the system: libraries, what it links with, and git for SwiftPM.
readonly SSC_SWIFT_PACKAGES=(ca-certificates g++ git libcurl4-openssl-dev libncurses6 libsqlite3-0 libxml2 tzdata)

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
    [[ $EUID -eq 0 ]] || command -v sudo >/dev/null || return 1
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
        _ssc_fail "could not install these packages; is there a network?
As root: apt-get install --no-install-recommends ${missing[*]}"
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

# Whether the Swift compiler on the PATH is new enough.
_ssc_has_swift() {
    local found
    hash -r
    found=$(_ssc_swift_version) && _ssc_version_at_least "$found" "$SSC_SWIFT_MINIMUM"
}

# Makes sure of a Swift compiler that is new enough: the one on the PATH, apt's, or one that is fetched from swift.org
# into .build and stays there. What is fetched is signed by the Swift project: see fetch-swift.
require_swift() {
    local support fetched candidate
    support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
    fetched=$(cd "$support/../.." && pwd)/.build/swift-$SSC_SWIFT_FETCHED
    # A toolchain that is not apt's does not run without these, or links nothing.
    if command -v swift >/dev/null && ! dpkg-query --search "$(readlink -f "$(command -v swift)")" >/dev/null 2>&1; then
        require_packages "${SSC_SWIFT_PACKAGES[@]}"
    fi
    ! _ssc_has_swift || return 0
    PATH=$fetched/usr/bin:$PATH
    ! _ssc_has_swift || return 0

    # A new machine's apt knows no packages yet.
    compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || _ssc_update_package_lists || true
    candidate=$(_ssc_swift_candidate) || candidate=""
    if [[ -n $candidate ]] && _ssc_version_at_least "$candidate" "$SSC_SWIFT_MINIMUM"; then
        require_packages swiftlang
    else
        printf '%s\n' "Swift $SSC_SWIFT_MINIMUM or newer is missing, and apt does not offer it. \
Fetching Swift $SSC_SWIFT_FETCHED with swiftly from swift.org, into $fetched (1 GB, unpacked 3 GB) …" >&2
        (require_packages "${SSC_SWIFT_PACKAGES[@]}" && "$support/fetch-swift" "$fetched") || true
    fi
    _ssc_has_swift || _ssc_fail "Swift $SSC_SWIFT_MINIMUM or newer is needed, and could not be installed.
Install it as https://www.swift.org/install/linux/ says, put the folder of its commands on the PATH, and start again."
}

# require_python_venv [--system-site-packages] DIR FILE
#
# Makes sure of a Python virtual environment in DIR that has what a requirements file
# names, in exactly these versions, from wheels with the digests that it states. Reuses
# what is there.
require_python_venv() {
    local options=() directory file stamp
    if [[ ${1:-} == --system-site-packages ]]; then
        options=("$1")
        shift
    fi
    directory=${1:?require_python_venv: a directory is needed}
    file=${2:?require_python_venv: a requirements file is needed}
    stamp=$directory/requirements.txt
    if [[ ! -x $directory/bin/python ]]; then
        require_packages python3 python3-venv
        # The system's own Python: a virtual environment made with another one
        # would break when that one is gone, and could not see Debian's modules.
        /usr/bin/python3 -m venv ${options[@]+"${options[@]}"} "$directory" ||
            _ssc_fail "could not make a Python virtual environment in $directory"
    fi
    cmp --quiet "$file" "$stamp" && return 0
    printf 'Installing what %s names …\n' "$file" >&2
    "$directory/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
        --only-binary :all: --requirement "$file" >&2 || _ssc_fail "could not install $file into $directory"
    cp "$file" "$stamp"
}
