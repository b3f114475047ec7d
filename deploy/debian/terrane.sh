#!/bin/sh
# Runs Terrane with the Node of the package. Commands read the settings of the service where this user may.
set -eu
if [ -z "${TERRANE_CONFIG:-}" ] && [ -r /etc/terrane/terrane.toml ]; then
  TERRANE_CONFIG=/etc/terrane/terrane.toml
  export TERRANE_CONFIG
fi
# Nothing is written beside the program, so that the package can be removed.
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/terrane}
export NODE_COMPILE_CACHE
exec /usr/lib/terrane/runtime/node /usr/lib/terrane/bin/terrane.mjs "$@"
