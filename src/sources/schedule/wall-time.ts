const hourMs = 3_600_000
const dayMs = 24 * hourMs
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, format)
  return format
}

/** Returns the difference between local time and UTC, in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  const seconds = Math.floor(time / 1000) * 1000
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - seconds
}

/** Returns the wall-clock time of a time zone, as if it were UTC. */
export function toWallTime(time: Date, timeZone: string): Date {
  return new Date(time.getTime() + offsetAt(time.getTime(), timeZone))
}

/**
 * Returns the time at which clocks show a wall-clock time: the first one if it is repeated. For a skipped
 * time, returns the end of the gap.
 */
export function toInstant(wall: Date, timeZone: string): Date {
  const local = wall.getTime()
  const offsets = [offsetAt(local - dayMs, timeZone), offsetAt(local + dayMs, timeZone)]
  const times = offsets.map((offset) => local - offset).sort((one, other) => one - other)
  const found = times.find((time) => time + offsetAt(time, timeZone) === local)
  if (found !== undefined) return new Date(found)
  return new Date(endOfGap(Math.min(...times), Math.max(...times), timeZone))
}

/** Returns the first millisecond with the offset of `after`. */
function endOfGap(before: number, after: number, timeZone: string): number {
  const offset = offsetAt(after, timeZone)
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, timeZone) === offset) high = middle
    else low = middle
  }
  return high
}
