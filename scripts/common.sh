# Shared by the scripts beside it: stands in the project's folder, checks for Swift and installs what is missing.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 4; }

# Swift 6.2 or later.
need_swift() {
  command -v swift >/dev/null 2>&1 || fail "Swift is not installed. Get Swift 6.2 or later from https://www.swift.org/install/ (swiftly: \`swiftly install latest\`), then run this again."
  local version
  version=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
  case "$version" in
  '' | [0-5].* | 6.0 | 6.1) fail "Swift ${version:-of an unknown version} is installed; 6.2 or later is needed. Get it from https://www.swift.org/install/ (swiftly: \`swiftly install latest\`), then run this again." ;;
  esac
}

# need_package COMMAND APT-PACKAGE BREW-PACKAGE: installs the package where the command is missing.
need_package() {
  command -v "$1" >/dev/null 2>&1 || install_package "$1" "$2" "$3"
}

# need_header HEADER APT-PACKAGE BREW-PACKAGE: installs the package where the C compiler does not find the header.
need_header() {
  echo "#include <$1>" | cc -E - >/dev/null 2>&1 || install_package "$1" "$2" "$3"
}

# install_package WHAT-FOR APT-PACKAGE BREW-PACKAGE
install_package() {
  if command -v apt-get >/dev/null 2>&1; then
    local as_root=''
    [ "$(id -u)" = 0 ] || as_root=sudo
    say "installing $2 for $1"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null 2>&1 || {
      $as_root apt-get update -qq
      $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null
    }
  elif command -v brew >/dev/null 2>&1; then
    say "installing $3 for $1"
    brew install --quiet "$3"
  else
    fail "$1 is missing and neither apt-get nor brew is here to install it; install it by hand, then run this again."
  fi
}

# What building and testing needs besides Swift.
need_build_packages() {
  need_swift
  need_package git git git
  need_package c++ g++ gcc
  need_header zlib.h zlib1g-dev zlib
  need_header pcap.h libpcap-dev libpcap
  need_header openssl/evp.h libssl-dev openssl
}
