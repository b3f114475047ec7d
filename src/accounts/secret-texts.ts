import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits. */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a random text: enough to find it again, not to use it. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Takes as long wherever they differ. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)))
}
