const most = 1e15
const decimals = 1e4

/**
 * Converts a number or a numeric text to a number rounded to 4 decimals; undefined for other values and
 * beyond 10^15.
 */
export function toAmount(value: unknown): number | undefined {
  const isText =
    typeof value === 'string' && /^\s*[+-]?(?:\d{1,16}(?:\.\d{0,20})?|\.\d{1,20})\s*$/.test(value)
  if (typeof value !== 'number' && !isText) return undefined
  const amount = Number(value)
  if (!Number.isFinite(amount) || Math.abs(amount) > most) return undefined
  return Math.round(amount * decimals) / decimals + 0
}

/** Formats a number with 4 decimals, as in problems and bounds of responses. */
export function amountText(value: number): string {
  return value.toFixed(4)
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Formats an amount for people: `812.3 ms`, `1.5 GB`, `12`. */
export function readableAmount(value: number, unit: string): string {
  const perSecond = unit === 'B/s' ? '/s' : ''
  if (unit === 'B' || unit === 'B/s') {
    const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3))
    return `${shortNumber(value / 1000 ** step)} ${byteUnits[step]}${perSecond}`
  }
  if (unit === '' || unit === 'Count' || unit === 'Rate') return shortNumber(value)
  return unit === '%' ? `${shortNumber(value)} %` : `${shortNumber(value)} ${unit}`
}

function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}
