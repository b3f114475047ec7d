import { createHash } from 'node:crypto'

/** Largest state of an entry in bytes. */
const maxBytes = 16 * 1024
const maxDepth = 20
const masked = '***'

/** Names whose values are secrets, whatever their case. */
const secretName =
  /pass(?:word|wd)|secret|token|credential|authorization|cookie|private|recovery|^(?:value|code|uri|key|response|transaction|options|accessKey)$/i
/** Names that match `secretName` although their values are not secret. */
const plainName = /^(?:keepTokens|tokenWorkspace)$/

/**
 * Returns the state of a resource as JSON text for an entry: without secrets, and with at most 16 KiB; a larger
 * state is replaced by its size, its digest and its names. Undefined for what is not data, such as the stream of an
 * upload.
 */
export function toState(value: unknown): string | undefined {
  if (value === undefined || value === null || (typeof value === 'object' && !isData(value))) return undefined
  const text = JSON.stringify(withoutSecrets(value, 0))
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= maxBytes) return text
  const sha256 = createHash('sha256').update(text).digest('hex')
  const names =
    typeof value === 'object'
      ? Object.keys(value)
          .slice(0, 100)
          .map((one) => one.slice(0, 100))
      : []
  return JSON.stringify({ truncated: { sizeBytes, sha256, names } })
}

/** Streams and other objects of programs refer to the whole server: reading them would take hours. */
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return '…'
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, depth + 1))
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  if (!isData(value)) return '…'
  const entries = Object.entries(value).map(([name, one]) => [
    name,
    isSecret(name, one) ? masked : withoutSecrets(one, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/** True if the value is to be left out. The properties of an object are checked one by one instead. */
function isSecret(name: string, value: unknown): boolean {
  if (plainName.test(name) || !secretName.test(name)) return false
  return typeof value !== 'object' || value === null || Array.isArray(value)
}
