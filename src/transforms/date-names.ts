/** A name as upper-case ASCII bytes, and its value. */
export interface NamedValue {
  bytes: Uint8Array
  value: number
}

function named(names: readonly (readonly [string, number])[]): NamedValue[] {
  return names.map(([name, value]) => ({ bytes: Buffer.from(name.toUpperCase()), value }))
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** English month names, long and short, from 0. */
export const months = named(
  monthNames.flatMap((name, month) => [[name, month] as const, [name.slice(0, 3), month] as const]),
)
/** English day names, long and short, from 1 for Sunday. */
export const weekdays = named(
  dayNames.flatMap((name, day) => [[name, day + 1] as const, [name.slice(0, 3), day + 1] as const]),
)
export const eras = named([
  ['BC', 0],
  ['AD', 1],
  ['Before Christ', 0],
  ['Anno Domini', 1],
])
export const halfDays = named([
  ['AM', 0],
  ['PM', 1],
])
/** Time zones by common abbreviations, in minutes east of Greenwich; including daylight saving time. */
export const zones = named([
  ['UTC', 0],
  ['UT', 0],
  ['WET', 0],
  ['WEST', 60],
  ['CET', 60],
  ['CEST', 120],
  ['EET', 120],
  ['EEST', 180],
  ['MSK', 180],
  ['EST', -300],
  ['EDT', -240],
  ['CST', -360],
  ['CDT', -300],
  ['MST', -420],
  ['MDT', -360],
  ['PST', -480],
  ['PDT', -420],
  ['AKST', -540],
  ['AKDT', -480],
  ['HST', -600],
  ['JST', 540],
])

/** Returns the longest name in `bytes` at `start`, in any case, or undefined. */
export function matchName(
  names: readonly NamedValue[],
  bytes: Uint8Array,
  start: number,
  end: number,
): NamedValue | undefined {
  let best: NamedValue | undefined
  for (const name of names) {
    const { length } = name.bytes
    if (length <= (best?.bytes.length ?? 0) || start + length > end) continue
    let i = 0
    while (i < length && upper(bytes[start + i] as number) === name.bytes[i]) i += 1
    if (i === length) best = name
  }
  return best
}

function upper(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 32 : byte
}
