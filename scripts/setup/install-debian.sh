#!/bin/sh
# Installs the packages named, as root. `postgis-server` stands for the newest PostgreSQL with PostGIS.
# No database cluster is made, and no service is started now or at the next boot: the tests start their own.
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

policy=/usr/sbin/policy-rc.d
settings=/etc/postgresql-common/createcluster.conf
put_back() {
  [ -n "${own_policy:-}" ] && rm -f "$policy"
  [ -f "$settings.before-terrane" ] && mv -f "$settings.before-terrane" "$settings"
  :
}
trap put_back EXIT

# Tells packages not to start what they bring.
if [ ! -e "$policy" ]; then
  own_policy=yes
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

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
    cp -p "$settings" "$settings.before-terrane"
    echo 'create_main_cluster = false' >>"$settings"
  fi
  packages="$packages $name"
done

new=''
for name in $packages; do
  dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q ' installed$' || new="$new $name"
done
# shellcheck disable=SC2086
apt_install $packages

for name in $new; do
  case $name in
    nginx-light) units='nginx.service' ;;
    vsftpd) units='vsftpd.service' ;;
    openssh-server) units='ssh.service ssh.socket' ;;
    fcgiwrap) units='fcgiwrap.service fcgiwrap.socket' ;;
    prometheus) units='prometheus.service' ;;
    prometheus-node-exporter) units='prometheus-node-exporter.service' ;;
    *) continue ;;
  esac
  for unit in $units; do
    if command -v systemctl >/dev/null; then systemctl disable "$unit" >/dev/null 2>&1 || :; fi
  done
done
