import type { UsageReport } from './report.ts'
import { reportColumns, reportFacts, totalRow } from './report-table.ts'
import type { ReportLanguage } from './report-texts.ts'
import { reportTexts } from './report-texts.ts'

const longestKey = 48

/**
 * Writes a report as plain text for a mail, with at most `maxRows` rows; the attached file contains all rows.
 */
export function writeReportText(
  report: UsageReport,
  { language, maxRows }: { language: ReportLanguage; maxRows: number },
): string {
  const texts = reportTexts[language]
  const columns = reportColumns(report, texts, language)
  const shown = report.rows.slice(0, maxRows)
  const rows = report.total === null ? shown : [...shown, totalRow(report.total, texts)]
  const table = [
    columns.map(({ caption }) => caption),
    ...rows.map((row) => columns.map(({ text }) => shorten(text(row)))),
  ]
  const widths = columns.map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)))
  const lines = table.map((cells) =>
    cells
      .map((cell, at) =>
        columns[at]?.isNumber === true ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  const left = report.rows.length - shown.length
  return [
    `${texts.title} ${texts.period(report.from, report.to)}`,
    '',
    ...reportFacts(report, texts),
    '',
    ...lines,
    ...(left > 0 ? ['', texts.more(left)] : []),
    ...(report.unused.length === 0 ? [] : ['', `${texts.unused}: ${report.unused.length}`]),
    ...report.unused
      .slice(0, maxRows)
      .map(({ key, lastUse }) => `* ${shorten(key)} (${lastUse?.slice(0, 10) ?? texts.never})`),
    '',
  ].join('\n')
}

/**
 * Shortens a text and removes line breaks and control characters, so that a name cannot imitate another line.
 */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return line.length <= longestKey ? line : `${line.slice(0, longestKey - 1)}…`
}
