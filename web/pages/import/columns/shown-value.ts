const maxLetters = 200

/** A value as a cell shows it, cut where it is long. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > maxLetters ? `${text.slice(0, maxLetters)}…` : text
}
