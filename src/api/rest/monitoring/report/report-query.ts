import { FieldFailure } from '../../../../core/errors/errors.ts'
import type { Clock } from '../../../../core/time/clock.ts'
import { ZoneDays } from '../../../../core/values/zone-days.ts'
import type { ReportGrouping } from '../../../../monitoring/query/index.ts'
import { reportGroupings } from '../../../../monitoring/query/index.ts'
import type {
  ReportComparison,
  ReportLanguage,
  ReportPeriod,
  ReportSettings,
} from '../../../../monitoring/report/index.ts'
import {
  countedZone,
  lastMonth,
  lengthOf,
  maxReportDays,
  parseReportDate,
  reportComparisons,
  reportLanguages,
} from '../../../../monitoring/report/index.ts'
import type { Fields } from '../parameters.ts'

/** Formats of a report. */
export const reportFormats = ['json', 'csv', 'html', 'counter', 'inspire'] as const
/** One of `reportFormats`. */
export type ReportFormat = (typeof reportFormats)[number]

/** Parameters of a report. */
export interface ReportQuery {
  period: ReportPeriod
  zone: string
  by: ReportGrouping
  compare: ReportComparison | undefined
  format: ReportFormat
  language: ReportLanguage
}

interface ReadDeps {
  settings: ReportSettings
  clock: Clock
}

/** Reads the parameters of a report; throws `FieldFailure`. */
export function readReportQuery(fields: Fields, deps: ReadDeps): ReportQuery {
  const zone = readZone(fields, deps.settings)
  const period = readPeriod(fields, zone, deps)
  const by = fields.choice('by', reportGroupings) ?? 'layer'
  const compare = fields.choice('compare', reportComparisons)
  const format = fields.choice('format', reportFormats) ?? 'json'
  const language = fields.choice('language', reportLanguages) ?? 'en'
  if ((format === 'counter' || format === 'inspire') && !period.first.endsWith('-01'))
    fields.fail('from', `A report of the format ${format} begins on the first day of a month.`)
  fields.finish()
  return { period, zone, by, compare, format, language }
}

/** Reads `zone`; usage is stored by days of one zone, so that no other can be told. */
function readZone(fields: Fields, settings: ReportSettings): string {
  const counted = countedZone(settings)
  const zone = fields.text('zone', { maxLength: 100 }) ?? counted
  if (zone === counted || zone === 'UTC') return zone
  const names =
    counted === 'UTC' ? 'UTC, because TERRANE_ZONE is not set' : `${counted} (TERRANE_ZONE) or UTC`
  fields.fail('zone', `Usage is counted by whole days of one time zone: use ${names}.`)
  return counted
}

/** Reads `from` and `to`, both days or both months, both included; default: the last month. */
export function readPeriod(fields: Fields, zone: string, { clock }: Pick<ReadDeps, 'clock'>): ReportPeriod {
  const [from, to] = [fields.text('from', { maxLength: 20 }), fields.text('to', { maxLength: 20 })]
  const usual = lastMonth(new ZoneDays(zone), clock.now().getTime() / 1000)
  if (from === undefined && to === undefined) return usual
  const first = parseReportDate(from ?? to ?? '', 'first')
  const last = parseReportDate(to ?? from ?? '', 'last')
  const expected = 'Enter a month such as 2026-10 or a day such as 2026-10-05.'
  if (first === undefined) fields.fail(from === undefined ? 'to' : 'from', expected)
  if (last === undefined) fields.fail(to === undefined ? 'from' : 'to', expected)
  if (first === undefined || last === undefined) return usual
  const isMonths = [from, to].every((text) => text === undefined || text.length === 7)
  const period = { first, last, isMonths }
  if (first > last) fields.fail('to', 'Ensure this is not before from.')
  else if (lengthOf(period) > maxReportDays)
    fields.fail('from', `Ensure the period has at most ${maxReportDays} days.`)
  return period
}

/** Throws `Failure` for a reader who may see only some layers and asks for numbers of all together. */
export function requireWholeAudience(seesAll: boolean, by: ReportGrouping): void {
  if (seesAll || by === 'layer') return
  const message = 'You may not read all layers: only a report by layer is possible.'
  throw new FieldFailure({ by: [message] }, { kind: 'forbidden', code: 'not-allowed' })
}
