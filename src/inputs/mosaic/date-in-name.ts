/** Time according to the name of a granule: milliseconds since 1970 in UTC, or why there is none. */
export type NamedTime = { timeMs: number } | { fault: string }

/**
 * A date from only the year up to fractions of a second, without a digit before or after it. The separator of
 * its parts, if any, is `-`, `_` or `.`; in the time also `:`.
 */
const dateForm =
  /(?<!\d)(?<year>\d{4})(?:(?<dash>[-_.]?)(?<month>\d{2})(?:\k<dash>(?<day>\d{2})(?:[T_ -]?(?<hour>\d{2})(?<colon>[-_.:]?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2})(?:[.,]?(?<fraction>\d{3}))?)?Z?)?)?)?(?!\d)/giu

const firstYear = 1800
const lastYear = 2199
const partNames = ['year', 'month', 'day', 'hour', 'minute', 'second', 'fraction'] as const
const extension = /\.[^.\s]*[a-z][^.\s]*$/iu

interface Candidate {
  text: string
  timeMs: number
  /** Number of its parts; a date with more parts takes precedence. */
  parts: number
}

function toCandidate(match: RegExpExecArray): Candidate | undefined {
  const given = partNames.map((name) => match.groups?.[name])
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction = 0] = given.map((part) =>
    part === undefined ? undefined : Number(part),
  )
  if (year < firstYear || year > lastYear) return undefined
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, fraction))
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  if (!isReal) return undefined
  return { text: match[0], timeMs: date.getTime(), parts: given.filter((part) => part !== undefined).length }
}

/** Lists every date in the text; a later one may overlap with an earlier one. */
function listCandidates(text: string): Candidate[] {
  const found: Candidate[] = []
  dateForm.lastIndex = 0
  for (let match = dateForm.exec(text); match !== null; match = dateForm.exec(text)) {
    const candidate = toCandidate(match)
    if (candidate !== undefined) found.push(candidate)
    else dateForm.lastIndex = match.index + 4
  }
  return found
}

/**
 * Finds the date in a file name without its extension: `yyyy`, `yyyyMM`, `yyyyMMdd`, `yyyyMMddHHmm`,
 * `yyyyMMddHHmmss` and `yyyyMMddHHmmssSSS`, with `T`, `-`, `_` or a blank before the hour, with or without
 * separators, years 1800 to 2199. The date with most parts is used; if two of these differ, there is none.
 */
export function findDateInName(fileName: string): NamedTime {
  const text = fileName.replace(extension, '')
  const candidates = listCandidates(text)
  const most = Math.max(0, ...candidates.map(({ parts }) => parts))
  const best = candidates.filter(({ parts }) => parts === most)
  const [first] = best
  if (first === undefined) return { fault: 'its name contains no date such as 20240131' }
  const other = best.find(({ timeMs }) => timeMs !== first.timeMs)
  if (other === undefined) return { timeMs: first.timeMs }
  return { fault: `its name contains two dates, ${first.text} and ${other.text}` }
}
