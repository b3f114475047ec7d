#!/bin/sh
# Runs Terrane with the Node of the package. Commands read the settings of the service where this user may.
set -eu
if [ -z "${TERRANE_CONFIG:-}" ] && [ -r /etc/terrane/terrane.toml ]; then
  TERRANE_CONFIG=/etc/terrane/terrane.toml
  export TERRANE_CONFIG
fi
exec /usr/lib/terrane/runtime/node /usr/lib/terrane/bin/terrane.mjs "$@"
