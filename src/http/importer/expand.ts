/**
 * Returns the depth of a representation: `none` 0, `self` 1, `all` unlimited, or a number; otherwise the
 * default.
 */
export function parseExpand(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const word = text.trim().toLowerCase()
  if (word === 'none') return 0
  if (word === 'self') return 1
  if (word === 'all') return Number.POSITIVE_INFINITY
  return /^\d{1,6}$/.test(word) ? Number(word) : fallback
}
