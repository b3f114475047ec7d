import { csvLine } from '../../core/text/escape.ts'
import { reportedClasses } from '../query/usage-sum.ts'
import type { ReportNumbers, ReportRow, UsageReport } from './report.ts'

/** Key of the line with the total. */
const totalKey = 'total'

const columns = [
  'key',
  'title',
  'owner',
  'hits',
  'people_hits',
  'people_visits',
  'robots',
  'outside_hits',
  'outside_visits',
  'named',
  'anonymous',
  ...reportedClasses,
  'errors',
  'error_share',
  'p50_ms',
  'p95_ms',
  'p99_ms',
  'bytes',
  'last_use',
] as const
const comparedColumns = ['before_hits', 'before_downloads', 'before_visits'] as const

/**
 * Prevents spreadsheets from interpreting a text as a formula: prepends an apostrophe to texts that begin
 * with `=`, `+`, `-`, `@`, a tab or a line break.
 */
export function safeCell(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}

/** Writes a report as CSV with one line per row and the total as last line. Unknown figures are empty. */
export function writeReportCsv({ rows, total, compare, sumsToTotal }: UsageReport): string {
  const isCompared = compare !== null
  const head = isCompared ? [...columns, ...comparedColumns] : columns
  const lines = rows.map((row) => csvLine(cellsOf(row, isCompared)))
  const note = sumsToTotal ? '' : 'One request can count in several rows'
  const last =
    total === null
      ? []
      : [csvLine(cellsOf({ key: totalKey, href: null, title: note, owner: null, ...total }, isCompared))]
  return [csvLine(head), ...lines, ...last].join('')
}

function cellsOf(row: ReportRow, isCompared: boolean): string[] {
  const { key, title, owner, before } = row
  const compared = isCompared ? [before?.hits, before?.downloads, before?.visits].map(numberText) : []
  const names = [key, title ?? '', owner ?? ''].map(safeCell)
  return [...names, ...numbersOf(row), ...compared]
}

function numbersOf(row: ReportNumbers): string[] {
  const { people, outside, events, errorShare } = row
  const rounded = (value: number | null, digits: number): number | null =>
    value === null ? null : Number(value.toFixed(digits))
  return [
    row.hits,
    people.hits,
    people.visits,
    row.robots,
    outside.hits,
    outside.visits,
    row.named,
    row.anonymous,
    ...reportedClasses.map((name) => events[name]),
    row.errors,
    rounded(errorShare, 6),
    rounded(row.p50, 1),
    rounded(row.p95, 1),
    rounded(row.p99, 1),
    row.bytes,
  ]
    .map(numberText)
    .concat(row.lastUse ?? '')
}

function numberText(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}
