import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { StoredEntry } from './records.ts'
import type { SealKey } from './seal-keys.ts'

/** Data that a seal covers: the entries of a day, in the order of their numbers, and all days before. */
export interface SealedDay {
  day: string
  entries: number
  /** SHA-256 of the entries. */
  digest: string
  /** Seal of the day before; empty for the first one. */
  previous: string
}

/** Returns the number and the digest of entries. */
export async function digestEntries(
  entries: AsyncIterable<StoredEntry>,
): Promise<Pick<SealedDay, 'entries' | 'digest'>> {
  const hash = createHash('sha256')
  let count = 0
  for await (const entry of entries) {
    hash.update(`${canonicalText(entry)}\n`)
    count += 1
  }
  return { entries: count, digest: hash.digest('hex') }
}

/** Formats an entry as a list, so that the digest does not depend on names or the order of properties. */
function canonicalText(entry: StoredEntry): string {
  const { id, day, time, user, via, address, action, outcome, resource, before, after, request } = entry
  return JSON.stringify([
    id,
    day,
    time,
    user,
    via,
    address,
    action,
    outcome,
    resource,
    before,
    after,
    request,
  ])
}

export function sealOf({ day, entries, digest, previous }: SealedDay, { key }: SealKey): string {
  return hmac(key, ['day', day, entries, digest, previous])
}

/** Returns the seal that proves that the server itself deleted the entries of a day, and when. */
export function expirySealOf(
  { day, seal, expiredAt }: { day: string; seal: string; expiredAt: string },
  { key }: SealKey,
): string {
  return hmac(key, ['expired', day, seal, expiredAt])
}

export function isSameSeal(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function hmac(key: Uint8Array, parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex')
}
