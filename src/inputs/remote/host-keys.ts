import { createHash, createHmac } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { invalid } from '../../core/errors/errors.ts'

export interface HostKeys {
  /** Returns the key types known for a host; empty for an unknown host. */
  kindsOf(host: string, port: number): string[]
  /**
   * Stores the key of a new host. Throws `Failure` for a key that differs from the known one, or that may not
   * be accepted.
   */
  verify(host: string, port: number, key: Buffer): void
}

interface Line {
  hosts: string
  kind: string
  key: string
}

function nameOf(host: string, port: number): string {
  const name = host.toLowerCase()
  return port === 22 ? name : `[${name}]:${port}`
}

/** True for a matching host name, in plain text or hashed (`|1|salt|hash`), as written by OpenSSH. */
function means(hosts: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/.exec(hosts) ?? []
  if (salt === undefined) return hosts.toLowerCase().split(',').includes(name)
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

function kindOfKey(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0
  return length > 0 && length < 100 ? key.toString('latin1', 4, 4 + length) : 'unknown'
}

/** Returns a key fingerprint for comparison, in the format of `ssh-keygen -l`. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/**
 * Keys of SFTP servers in a file in OpenSSH's `known_hosts` format. An unknown host is trusted on first use
 * and added, unless `onlyKnown`.
 */
export function createHostKeys(path: string, onlyKnown: boolean): HostKeys {
  function linesOf(host: string, port: number): Line[] {
    if (!existsSync(path)) return []
    const name = nameOf(host, port)
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^\s*[#@]/.test(line))
      .map((line) => {
        const [hosts = '', kind = '', key = ''] = line.trim().split(/\s+/)
        return { hosts, kind, key }
      })
      .filter(({ hosts }) => means(hosts, name))
  }

  return {
    kindsOf: (host, port) => [...new Set(linesOf(host, port).map((line) => line.kind))],
    verify: (host, port, key) => {
      const known = linesOf(host, port)
      if (known.some((line) => line.key === key.toString('base64'))) return
      const shown = `The key of the SFTP server ${nameOf(host, port)} (${kindOfKey(key)} ${fingerprint(key)})`
      if (known.length > 0) {
        throw invalid(
          'host-key-changed',
          `${shown} differs from the key in ${path}: remove that line if the server has a new key`,
        )
      }
      if (onlyKnown) {
        throw invalid('host-key-unknown', `${shown} is not in ${path}, as TERRANE_SFTP_STRICT requires`)
      }
      const line = `${nameOf(host, port)} ${kindOfKey(key)} ${key.toString('base64')}\n`
      appendFileSync(path, line, { mode: 0o600, flush: true })
    },
  }
}
