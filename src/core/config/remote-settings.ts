import { resolve } from 'node:path'
import type { Reader } from './parse.ts'
import { parseWebUrl, readNetworks } from './parse.ts'

/** Limits and permissions for fetches of remote data. */
export interface RemoteSettings {
  /** Private networks from which remote data may be fetched. */
  allow: string[]
  /** For all data of one fetch. */
  totalSeconds: number
  /** Maximum time without received data. */
  stallSeconds: number
  /** Maximum number of attempts at one position of a file. */
  tries: number
  /** Path of a PEM file with certificate authorities in addition to those of the system. */
  authoritiesFile?: string
  /** Absent: Amazon's endpoint. */
  s3Endpoint?: string
  s3Region: string
  /** True to refuse SFTP servers with an unknown key. */
  onlyKnownHosts: boolean
}

/** Reads the settings for fetches of remote data. */
export function readRemote(read: Reader): RemoteSettings {
  const seconds = { min: 1, max: 20 * 86_400 }
  const authoritiesFile = read.text('TERRANE_REMOTE_CA', {
    type: 'path',
    default: 'system certificates only',
  })
  const s3Endpoint = readEndpoint(read)
  return {
    allow: readNetworks(read, 'TERRANE_REMOTE_ALLOW'),
    totalSeconds: read.integer('TERRANE_REMOTE_TIMEOUT', { unit: 'seconds', fallback: 6 * 3600, ...seconds }),
    stallSeconds: read.integer('TERRANE_REMOTE_STALL', { unit: 'seconds', fallback: 60, ...seconds }),
    tries: read.integer('TERRANE_REMOTE_TRIES', { unit: 'attempts', fallback: 5, min: 1, max: 100 }),
    authoritiesFile: authoritiesFile === undefined ? undefined : resolve(authoritiesFile),
    s3Endpoint,
    s3Region: read.text('TERRANE_S3_REGION', { default: 'us-east-1' }) ?? 'us-east-1',
    onlyKnownHosts: read.flag('TERRANE_SFTP_STRICT', false),
  }
}

function readEndpoint(read: Reader): string | undefined {
  const value = read.text('TERRANE_S3_ENDPOINT', { type: 'URL', default: 'Amazon S3' })
  if (value === undefined) return undefined
  const url = parseWebUrl(value)
  if (url !== undefined && url.search === '' && url.hash === '') return url.href
  read.problem('TERRANE_S3_ENDPOINT', 'must be an http or https address without credentials and query')
  return undefined
}
