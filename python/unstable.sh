#!/bin/sh
# A chroot of Debian unstable with today's scikit-learn, NumPy and pandas, and commands in it (Debian, as root):
#
#     python/unstable.sh make FOLDER              # nothing is done where it is there; remove FOLDER for a newer one
#     python/unstable.sh run FOLDER COMMAND ...   # in it, with this repository at /orthant, which is the folder to run in
#     python/unstable.sh python FOLDER ...        # its Python, with the files of this machine outside /usr, /etc and /var
#
# UNSTABLE_MIRROR is the mirror to take, UNSTABLE_APT one more option of apt: a mirror that stands still for more than a
# week needs UNSTABLE_APT='Acquire::Check-Valid-Until "false"' (signatures are checked all the same).
set -eu

PACKAGES=python3-sklearn,libopenblas0-pthread,python3-pandas,python3-pyarrow,python3-anndata,python3-pytest,python3-distributed,python3-matplotlib,python3-tqdm,python3-threadpoolctl

say() { echo "unstable.sh: $*" >&2; }

[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
action=$1 folder=$2
shift 2
[ "$(id -u)" = 0 ] || { say "a chroot needs root"; exit 1; }

case $action in
make)
  if [ -e "$folder/complete" ]; then say "$folder is there"; exit 0; fi
  if [ -e "$folder" ]; then say "$folder is there and not complete; remove it first"; exit 1; fi
  if ! command -v mmdebstrap >/dev/null 2>&1; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mmdebstrap; } >/dev/null 2>&1 ||
      { say "could not install mmdebstrap"; exit 1; }
  fi
  mkdir -p "$(dirname "$folder")"
  mmdebstrap --variant=apt --mode=root --aptopt='Acquire::Retries "3"' ${UNSTABLE_APT:+"--aptopt=$UNSTABLE_APT"} \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --include="$PACKAGES" unstable "$folder" ${UNSTABLE_MIRROR:+"$UNSTABLE_MIRROR"}
  mkdir -p "$folder/orthant"
  touch "$folder/complete"
  ;;
run)
  [ -e "$folder/complete" ] || { say "$folder is not a complete chroot: make python-unstable"; exit 1; }
  repository=$(cd "$(dirname "$0")/.." && pwd)
  # The mounts are seen in a namespace of their own, and end with the command.
  exec unshare --mount --propagation private sh -eu -c '
    repository=$1 folder=$2
    shift 2
    mount --bind "$repository" "$folder/orthant"
    mount --bind /dev "$folder/dev"
    mount -t tmpfs shm "$folder/dev/shm"
    mount -t proc proc "$folder/proc"
    mount -t tmpfs tmp "$folder/tmp"
    exec chroot "$folder" sh -eu -c "cd /orthant; exec \"\$@\"" sh "$@"
  ' sh "$repository" "$folder" "$@"
  ;;
python)
  [ -e "$folder/complete" ] || { say "$folder is not a complete chroot: make python-unstable"; exit 1; }
  # Its libraries and programs stand in the place of this machine's, in a namespace of their own.
  exec unshare --mount --propagation private sh -eu -c '
    folder=$1
    shift
    mount --bind "$folder/etc" /etc
    mount --bind "$folder/var" /var
    mount --bind "$folder/usr" /usr
    exec /usr/bin/python3 "$@"
  ' sh "$folder" "$@"
  ;;
*) say "$action is none of make, run and python"; exit 2 ;;
esac
