const longestSeconds = 366 * 86_400
const shape = /^(?:(\d{1,4}) (?:days?,? )?)?(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,9})(?:\.\d{1,9})?$/

/**
 * Parses `HH:MM:SS`, `MM:SS`, seconds, or `D HH:MM:SS` to seconds; undefined for other texts and beyond a
 * year.
 */
export function parseDuration(text: string): number | undefined {
  const parts = shape.exec(text.trim())
  if (parts === null) return undefined
  const [days, hours, minutes, seconds] = parts.slice(1, 5).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  const total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
  return total <= longestSeconds ? total : undefined
}

/** Formats a duration as `HH:MM:SS`; hours may exceed 24. */
export function durationText(totalSeconds: number): string {
  const seconds = Math.round(totalSeconds)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

const units: readonly [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** Formats a duration for people, with at most two units: `2 minutes`, `1 hour 30 minutes`. */
export function readableDuration(totalSeconds: number): string {
  let rest = Math.max(0, Math.round(totalSeconds))
  const words: string[] = []
  for (const [seconds, name] of units) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0 && words.length < 2) words.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  return words.length === 0 ? '0 seconds' : words.join(' ')
}
