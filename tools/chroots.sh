# What the tools that work in clean systems share; they set `folder` and source this.
#
#   need_root           root, debootstrap, the folder
#   make_base SUITE     a base system, made once: $folder/SUITE.base.tar
#   make_chroot SUITE   a fresh copy of it: $folder/SUITE
#   inside SUITE WORD.. a command in there
#
# Environment:
#   DEBIAN_MIRROR       default: the one in this machine's apt configuration, else debootstrap's
#   UBUNTU_MIRROR       default: debootstrap's
#   http_proxy, https_proxy, no_proxy, NODE_EXTRA_CA_CERTS are handed on; the file of certificates is copied in.
#
# Everything is mounted in a mount namespace of its own: nothing stays mounted when a script is stopped. Packages are
# fetched once ($folder/SUITE.archives).
# shellcheck shell=bash disable=SC2154 # folder is set by who sources this
scripts=/usr/share/debootstrap/scripts

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

need_root() {
  [ "$(id -u)" -eq 0 ] || fail "must be run as root (mounts, chroot)"
  command -v debootstrap >/dev/null || fail "debootstrap is missing"
  mkdir -p "$folder"
}

# ---- the base system ----

is_ubuntu() { case $1 in focal | jammy | noble | plucky | questing) true ;; *) false ;; esac; }

mirror_of() { # suite
  if is_ubuntu "$1"; then
    printf '%s' "${UBUNTU_MIRROR:-$(sed -n 's/^[[:space:]]*default_mirror \(.*archive.*\)/\1/p' $scripts/gutsy | head -n 1)}"
  else
    # shellcheck disable=SC2016 # apt's own placeholders
    printf '%s' "${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE) $(RELEASE) $(REPO_URI)' 2>/dev/null |
      awk '$3 ~ /\/debian\/?$/ { print $3; exit }')}"
  fi
}

make_base() { # suite
  local suite=$1 root=$folder/$1.base mirror components=main script=()
  [ ! -e "$root.tar" ] || return 0
  mirror=$(mirror_of "$suite")
  if is_ubuntu "$suite"; then components=main,universe; fi
  if [ ! -e "$scripts/$suite" ]; then # newer than this debootstrap: as the suites before it
    script=("$scripts/$(is_ubuntu "$suite" && echo gutsy || echo sid)")
    [ -n "$mirror" ] || fail "no mirror known for $suite: set UBUNTU_MIRROR or DEBIAN_MIRROR"
  fi
  echo "$suite: base system"
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase --components="$components" "$suite" "$root" ${mirror:+"$mirror"} "${script[@]}" \
    >"$folder/$suite.base.log" 2>&1 || fail "debootstrap failed, see $folder/$suite.base.log"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" -cf "$root.tar.part" .
  mv "$root.tar.part" "$root.tar"
  rm -rf --one-file-system "$root"
}

# ---- a chroot of it ----

make_chroot() { # suite
  local suite=$1 root=$folder/$1
  rm -rf --one-file-system "$root"
  mkdir -p "$root" "$root.archives/partial"
  tar -C "$root" -xpf "$folder/$suite.base.tar"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # a system for some minutes: no waiting for the disk
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cp "$NODE_EXTRA_CA_CERTS" "$root/etc/extra-ca.crt"; fi
}

# inside SUITE command...: in the chroot, in namespaces for mounts and processes, with a bare environment
inside() {
  local root=$folder/$1 name given=()
  shift
  for name in http_proxy https_proxy no_proxy; do
    [ -z "${!name:-}" ] || given+=("$name=${!name}")
  done
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || given+=("NODE_EXTRA_CA_CERTS=/etc/extra-ca.crt")
  # shellcheck disable=SC2016 # expanded inside
  nice unshare --mount --pid --fork --kill-child bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
    mount --bind "$root.archives" "$root/var/cache/apt/archives" &&
    exec chroot "$root" env -i "$@"' - "$root" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb "${given[@]}" "$@" </dev/null
}
