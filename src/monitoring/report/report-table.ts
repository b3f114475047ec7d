import type { ReportNumbers, ReportRow, UsageReport } from './report.ts'
import type { ReportLanguage, ReportTexts } from './report-texts.ts'

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
/** Text for an unknown figure. */
const unknown = '–'

interface Column {
  caption: string
  isNumber: boolean
  text(row: ReportRow): string
}

/** Columns of a printed report. */
export function reportColumns(
  { by, compare }: UsageReport,
  texts: ReportTexts,
  language: ReportLanguage,
): Column[] {
  const number = (caption: string, value: (row: ReportNumbers) => number | null | undefined): Column => ({
    caption,
    isNumber: true,
    text: (row) => numberText(value(row), language),
  })
  const compared = [
    number(`${texts.hits}: ${texts.before}`, ({ before }) => before?.hits),
    number(`${texts.downloads}: ${texts.before}`, ({ before }) => before?.downloads),
  ]
  return [
    {
      caption: texts.keys[by],
      isNumber: false,
      text: ({ key, title }) => (title === null || title === key ? key : `${title} (${key})`),
    },
    number(texts.hits, ({ hits }) => hits),
    number(texts.people, ({ people }) => people.hits),
    number(texts.visits, ({ people }) => people.visits),
    number(texts.robots, ({ robots }) => robots),
    number(texts.outside, ({ outside }) => outside.hits),
    number(texts.downloads, ({ events }) => events.downloads),
    number(texts.errors, ({ errors }) => errors),
    {
      caption: texts.p95,
      isNumber: true,
      text: ({ p95 }) => (p95 === null ? unknown : texts.milliseconds(numberText(Math.round(p95), language))),
    },
    { caption: texts.bytes, isNumber: true, text: ({ bytes }) => bytesText(bytes, language) },
    ...(compare === null ? [] : compared),
  ]
}

/** Returns the total as a row. */
export function totalRow(total: ReportNumbers, texts: ReportTexts): ReportRow {
  return { key: texts.total, href: null, title: null, owner: null, ...total }
}

export function numberText(value: number | null | undefined, language: ReportLanguage): string {
  return value === null || value === undefined ? unknown : new Intl.NumberFormat(language).format(value)
}

export function bytesText(value: number | null | undefined, language: ReportLanguage): string {
  if (value === null || value === undefined) return unknown
  const step = value < 1000 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(value) / 3))
  const format = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 })
  return `${format.format(value / 1000 ** step)} ${byteUnits[step]}`
}

/** Returns lines about the period, its time zone and figures that were not collected. */
export function reportFacts(report: UsageReport, texts: ReportTexts): string[] {
  const { before, complete, since, sumsToTotal, zone } = report
  return [
    `${texts.zone(zone)}. ${texts.visitsNote}`,
    ...(before === null ? [] : [`${capital(texts.comparedWith(before.from, before.to))}.`]),
    since === null ? `${texts.notCounted}.` : `${texts.since(since)}.`,
    ...(complete ? [] : [texts.incomplete]),
    ...(sumsToTotal ? [] : [texts.overlaps]),
    ...report.notKnown.map(({ figure, since: day, reason }) =>
      [`${texts.notKnown}: ${figure}`, day === null ? [] : `(${texts.since(day)})`]
        .flat()
        .join(' ')
        .concat(`. ${reason}`),
    ),
  ]
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
