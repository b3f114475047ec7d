import { createHash, createHmac, createSecretKey, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { SingleFlight } from '../core/concurrency/single-flight.ts'
import { Failure } from '../core/errors/errors.ts'
import { WorkQueue } from '../core/workers/work-queue.ts'
import type { PasswordCost } from './records.ts'

const usualCost: PasswordCost = { logN: 14, r: 8, p: 5 }
const hashBytes = 32
const maxMemory = 128 * 2 ** 20
const maxRunning = 2
const maxWaiting = 200
const maxKnown = 1000

/** Hashes and verifies passwords. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes the same time for a user who does not exist (`hash` undefined) as for one who does. */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /** True if this password was recently verified against this hash; without computing a hash. */
  isKnown(password: string, hash: string): boolean
  /** True if the same verification is already running. */
  isInFlight(password: string, hash: string | undefined): boolean
}

/**
 * Scrypt hashes as `scrypt$logN$r$p$salt$hash`. Verified passwords are cached in memory as a keyed digest, by
 * hash: a changed password has another hash, which invalidates the old entry.
 */
export function createPasswords(cost: PasswordCost = usualCost): Passwords {
  // A key object: passing bytes would create one for each digest, which takes longer than the digest.
  const digestKey = createSecretKey(randomBytes(32))
  const known = new Map<string, Buffer>()
  const inFlight = new SingleFlight<string, boolean>()
  const queue = new WorkQueue({ limit: maxRunning, maxWaiting: { count: maxWaiting, refuse: tooMany } })
  const dummy = format(cost, randomBytes(16), randomBytes(hashBytes))

  const digest = (password: string): Buffer => createHmac('sha256', digestKey).update(password).digest()

  const isKnown = (password: string, hash: string): boolean => {
    const expected = known.get(hash)
    return expected !== undefined && timingSafeEqual(expected, digest(password))
  }

  const query = (password: string, hash: string | undefined): string =>
    `${hash ?? ''} ${digest(password).toString('base64')}`

  const check = async (password: string, hash: string): Promise<boolean> => {
    const parts = parseHash(hash)
    if (parts === undefined) return false
    const derived = await queue.run(() => derive(password, parts.salt, parts.cost))
    if (!timingSafeEqual(derived, parts.derived)) return false
    if (known.size >= maxKnown) known.clear()
    known.set(hash, digest(password))
    return true
  }

  return {
    hash: async (password) => {
      const salt = randomBytes(16)
      return format(cost, salt, await queue.run(() => derive(password, salt, cost)))
    },
    isKnown,
    isInFlight: (password, hash) => inFlight.has(query(password, hash)),
    verify: async (password, hash) => {
      if (hash !== undefined && isKnown(password, hash)) return true
      const key = query(password, hash)
      const isRight = await inFlight.run(key, () => check(password, hash ?? dummy))
      return isRight && hash !== undefined
    },
  }
}

function derive(password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> {
  const options = { N: 2 ** logN, r, p, maxmem: maxMemory }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hashBytes, options, (error, derived) => {
      if (error === null) resolve(derived)
      else reject(error)
    })
  })
}

function format({ logN, r, p }: PasswordCost, salt: Buffer, derived: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), derived.toString('base64url')].join('$')
}

function parseHash(hash: string): { cost: PasswordCost; salt: Buffer; derived: Buffer } | undefined {
  const found = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(hash)
  if (found === null) return undefined
  const [, logN, r, p, salt = '', derived = ''] = found
  const bytes = Buffer.from(derived, 'base64url')
  if (bytes.length !== hashBytes) return undefined
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    derived: bytes,
  }
}

/** Returns 256 random bits as text. */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored digest of a random text, which identifies the text but cannot replace it. */
export function digestSecret(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Compares two texts in constant time. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestSecret(one)), Buffer.from(digestSecret(other)))
}

function tooMany(): Failure {
  return new Failure('tooMany', 'too-many-logins', 'Too many logins at once: try again in a moment')
}
