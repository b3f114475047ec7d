#!/bin/sh
# Installs the packages named, as root. `postgis-server` stands for the newest PostgreSQL with PostGIS.
# No database cluster is made or started: the tests make their own.
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

apt_install() {
  apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
}

apt-get update || echo 'apt-get update failed; going on with the lists that are there'

packages=''
for name in "$@"; do
  if [ "$name" = postgis-server ]; then
    name=$(apt-cache pkgnames postgresql- | grep -E '^postgresql-[0-9]+-postgis-3$' | sort -V | tail -n 1)
    [ -n "$name" ] || { echo 'the distribution has no package postgresql-N-postgis-3'; exit 1; }
    name="$name $name-scripts"
    apt_install postgresql-common
    settings=/etc/postgresql-common/createcluster.conf
    cp -p "$settings" "$settings.before-terrane"
    trap 'mv -f "$settings.before-terrane" "$settings"' EXIT
    echo 'create_main_cluster = false' >>"$settings"
  fi
  packages="$packages $name"
done

# shellcheck disable=SC2086
apt_install $packages
