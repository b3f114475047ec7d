import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns 256 random bits as text. */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored digest of a random text, which identifies the text but cannot replace it. */
export function digestSecret(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Compares in constant time, wherever the texts differ. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestSecret(one)), Buffer.from(digestSecret(other)))
}
