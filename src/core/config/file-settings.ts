import { join, resolve } from 'node:path'
import type { Secret } from '../secrets/secret.ts'
import type { Reader } from './parse.ts'
import { parseWebUrl } from './parse.ts'

/** A bucket of an object store with the S3 interface. */
export interface S3Settings {
  bucket: string
  /** Prefix of all keys, such as `terrane/`; may be empty. */
  prefix: string
  /** Absent: Amazon's endpoint of the region. */
  endpoint?: string
  region: string
  accessKey: string
  secretKey: Secret
  /** Position of the bucket in addresses: in the path or in the host name. */
  addressing: 'path' | 'host'
}

/** Storage of the files of a server. */
export interface FileSettings {
  /** Absent: the data directory. */
  s3?: S3Settings
  /** Folder for local copies of stored files; not shared with other servers. */
  scratch: string
  /** Maximum size of the local copies in bytes. */
  maxScratchBytes: number
  /** True to send clients of downloads to a signed address of the object store. */
  redirects: boolean
}

const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Reads where files are stored: the data directory, or `s3://bucket/prefix`. */
export function readFiles(read: Reader, dataDirectory: string): FileSettings {
  const location = read.text('TERRANE_FILES', { default: 'data directory' })
  const endpoint = readEndpoint(read)
  const region = read.text('TERRANE_FILES_REGION', { default: 'us-east-1' }) ?? 'us-east-1'
  const accessKey = read.text('TERRANE_FILES_ACCESS_KEY')
  const secretKey = read.secret('TERRANE_FILES_SECRET_KEY')
  const addressing = read.choice('TERRANE_FILES_ADDRESSING', ['path', 'host'], 'path')
  const scratch = read.text('TERRANE_SCRATCH', { type: 'path', default: '`scratch` in the data directory' })
  const rest = {
    scratch: scratch === undefined ? join(dataDirectory, 'scratch') : resolve(scratch),
    maxScratchBytes: read.bytes('TERRANE_MAX_SCRATCH', 20 * 2 ** 30, { min: 1 << 20 }),
    redirects: read.flag('TERRANE_FILES_REDIRECT', false),
  }
  if (location === undefined) return rest
  const target = parseS3Location(location)
  if (target === undefined) {
    read.problem('TERRANE_FILES', `must be such as s3://bucket/prefix, found "${location}"`)
    return rest
  }
  if (accessKey === undefined) read.problem('TERRANE_FILES_ACCESS_KEY', 'must be set with TERRANE_FILES')
  if (secretKey === undefined) read.problem('TERRANE_FILES_SECRET_KEY', 'must be set with TERRANE_FILES')
  if (accessKey === undefined || secretKey === undefined) return rest
  return { ...rest, s3: { ...target, endpoint, region, accessKey, secretKey, addressing } }
}

/** Parses `s3://bucket/prefix`; the prefix ends with a slash unless it is empty. Undefined for other texts. */
export function parseS3Location(text: string): Pick<S3Settings, 'bucket' | 'prefix'> | undefined {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(text) ?? []
  const prefix = path.replace(/\/+$/, '')
  if (!bucketForm.test(bucket) || bucket.includes('..')) return undefined
  if (prefix !== '' && !/^[\w.~@=+-]+(?:\/[\w.~@=+-]+)*$/.test(prefix)) return undefined
  if (prefix.split('/').some((step) => step === '.' || step === '..')) return undefined
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

function readEndpoint(read: Reader): string | undefined {
  const value = read.text('TERRANE_FILES_ENDPOINT', { type: 'URL', default: 'Amazon S3' })
  if (value === undefined) return undefined
  const url = parseWebUrl(value)
  if (url !== undefined && url.search === '' && url.hash === '' && url.pathname === '/') return url.origin
  read.problem('TERRANE_FILES_ENDPOINT', 'must be an http or https address without credentials and path')
  return undefined
}
