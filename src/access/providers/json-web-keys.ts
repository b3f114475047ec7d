import type { JsonWebKey, KeyObject } from 'node:crypto'
import { constants, createPublicKey, verify } from 'node:crypto'
import { SingleFlight } from '../../core/concurrency/single-flight.ts'
import { ownValue } from '../../core/values/record-keys.ts'

/** Interval after which keys are read again, and the shortest one for a key that is not known. */
const keepMs = 10 * 60_000
const retryMs = 5_000
const maxTokenChars = 65_536

interface Algorithm {
  keyType: string
  hash: string | null
  options?: { padding?: number; saltLength?: number; dsaEncoding?: 'ieee-p1363' }
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const

/** Asymmetric algorithms of RFC 7518 and RFC 8037: `none` and shared keys are never accepted. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { keyType: 'RSA', hash: 'sha256' },
  RS384: { keyType: 'RSA', hash: 'sha384' },
  RS512: { keyType: 'RSA', hash: 'sha512' },
  PS256: { keyType: 'RSA', hash: 'sha256', options: pss },
  PS384: { keyType: 'RSA', hash: 'sha384', options: pss },
  PS512: { keyType: 'RSA', hash: 'sha512', options: pss },
  ES256: { keyType: 'EC', hash: 'sha256', options: ecdsa },
  ES384: { keyType: 'EC', hash: 'sha384', options: ecdsa },
  ES512: { keyType: 'EC', hash: 'sha512', options: ecdsa },
  EdDSA: { keyType: 'OKP', hash: null },
  Ed25519: { keyType: 'OKP', hash: null },
}

/** Header and claims of a signed token. */
export interface SignedToken {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

interface PublishedKey {
  id: string | undefined
  type: string
  key: KeyObject
}

/** Parses a token without checking its signature; undefined if it is none. */
export function parseToken(token: string): SignedToken | undefined {
  if (token.length > maxTokenChars) return undefined
  const [head, body, ...rest] = token.split('.')
  if (rest.length !== 1 || head === undefined || body === undefined) return undefined
  const header = parsePart(head)
  const claims = parsePart(body)
  return header === undefined || claims === undefined ? undefined : { header, claims }
}

function parsePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Public keys of an issuer, read again when a token names a new one. */
export class JsonWebKeys {
  readonly #read: () => Promise<unknown>
  readonly #reading = new SingleFlight<'keys', void>()
  #keys: PublishedKey[] = []
  #readAt = Number.NEGATIVE_INFINITY

  /** `read` returns the issuer's key set (RFC 7517). */
  constructor(read: () => Promise<unknown>) {
    this.#read = read
  }

  /** True if a published key has signed the token. Throws what `read` throws. */
  async verifies(token: string): Promise<boolean> {
    const header = parseToken(token)?.header
    const algorithm = typeof header?.['alg'] === 'string' ? ownValue(algorithms, header['alg']) : undefined
    if (header === undefined || algorithm === undefined || header['crit'] !== undefined) return false
    if (performance.now() - this.#readAt > keepMs) await this.#refresh()
    const isNew = this.#candidates(header, algorithm).length === 0
    // Tokens with made-up key ids must not make the server ask the issuer each time.
    if (isNew && performance.now() - this.#readAt > retryMs) await this.#refresh()
    return this.#check(token, header, algorithm)
  }

  #candidates({ kid }: Record<string, unknown>, { keyType }: Algorithm): PublishedKey[] {
    return this.#keys.filter(({ id, type }) => type === keyType && (kid === undefined || id === kid))
  }

  #check(token: string, header: Record<string, unknown>, algorithm: Algorithm): boolean {
    const end = token.lastIndexOf('.')
    const data = Buffer.from(token.slice(0, end))
    const signature = Buffer.from(token.slice(end + 1), 'base64url')
    return this.#candidates(header, algorithm).some(({ key }) =>
      verify(algorithm.hash, data, { key, ...algorithm.options }, signature),
    )
  }

  #refresh(): Promise<void> {
    return this.#reading.run('keys', async () => {
      this.#keys = toKeys(await this.#read())
      this.#readAt = performance.now()
    })
  }
}

function toKeys(set: unknown): PublishedKey[] {
  const keys = (set as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys)) return []
  return keys.slice(0, 100).flatMap((one: JsonWebKey & { kid?: unknown; use?: unknown }) => {
    if (one.use !== undefined && one.use !== 'sig') return []
    try {
      const key = createPublicKey({ key: one, format: 'jwk' })
      return [{ id: typeof one.kid === 'string' ? one.kid : undefined, type: String(one.kty), key }]
    } catch {
      return []
    }
  })
}
