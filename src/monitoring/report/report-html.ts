import { createHash } from 'node:crypto'
import { escapeHtml } from '../../core/text/escape.ts'
import type { UnusedLayer, UsageReport } from './report.ts'
import { bytesText, numberText, reportColumns, reportFacts, totalRow } from './report-table.ts'
import type { ReportLanguage, ReportTexts } from './report-texts.ts'
import { reportTexts } from './report-texts.ts'

const style = `body{font:14px/1.45 "IBM Plex Sans",system-ui,sans-serif;color:#12232a;background:#fff;margin:24px auto;max-width:1180px;padding:0 16px}
h1{font-size:24px;margin:0 0 4px}h2{font-size:17px;margin:28px 0 8px}
p,ul{color:#3d5058;margin:4px 0 12px;max-width:80ch}ul{padding-left:18px}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px 4px 0;border-bottom:1px solid #d9e2e5;text-align:left;vertical-align:top}
td:first-child{overflow-wrap:anywhere;min-width:160px}
th{font-weight:600;font-size:12.5px}
.n{text-align:right;white-space:nowrap}th.n{white-space:normal}
tfoot td{font-weight:600;border-top:2px solid #12232a}
a{color:#0b6e75}
@media print{@page{size:A4 landscape;margin:12mm}body{margin:0;padding:0;max-width:none;font-size:10pt}.table{overflow:visible}thead{display:table-header-group}tr{break-inside:avoid}}`

/** Content security policy of the page, which permits only its inline style. */
export const reportPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

interface HtmlOptions {
  language: ReportLanguage
  /** Maximum number of rows; default: all. */
  maxRows?: number
  /** HTML after the report. */
  foot?: string
}

/** Writes a report as a printable HTML page, which mails contain too. */
export function writeReportHtml(report: UsageReport, { language, maxRows, foot = '' }: HtmlOptions): string {
  const texts = reportTexts[language]
  const heading = `${texts.title} ${texts.period(report.from, report.to)}`
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${escapeHtml(heading)}</title><style>${style}</style></head><body>`,
    `<h1>${escapeHtml(heading)}</h1>`,
    `<ul>${reportFacts(report, texts)
      .map((fact) => `<li>${escapeHtml(fact)}</li>`)
      .join('')}</ul>`,
    tableOf(report, texts, { language, maxRows }),
    unusedTable(report.unused, texts, { language, maxRows }),
    foot,
    '</body></html>',
  ].join('\n')
}

function tableOf(report: UsageReport, texts: ReportTexts, { language, maxRows }: HtmlOptions): string {
  const columns = reportColumns(report, texts, language)
  const rows = report.rows.slice(0, maxRows)
  const numeric = (isNumber: boolean): string => (isNumber ? ' class="n"' : '')
  const cells = (row: (typeof rows)[number]): string =>
    columns.map(({ isNumber, text }) => `<td${numeric(isNumber)}>${escapeHtml(text(row))}</td>`).join('')
  const head = columns.map(
    ({ caption, isNumber }) => `<th scope="col"${numeric(isNumber)}>${escapeHtml(caption)}</th>`,
  )
  const foot = report.total === null ? '' : `<tfoot><tr>${cells(totalRow(report.total, texts))}</tr></tfoot>`
  const left = report.rows.length - rows.length
  return [
    `<div class="table"><table><thead><tr>${head.join('')}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}</tbody>${foot}</table></div>`,
    left > 0 ? `<p>${escapeHtml(texts.more(left))}</p>` : '',
  ].join('\n')
}

function unusedTable(
  unused: readonly UnusedLayer[],
  texts: ReportTexts,
  { language, maxRows }: HtmlOptions,
): string {
  if (unused.length === 0) return ''
  const rows = unused.slice(0, maxRows).map(({ key, title, lastUse, rows: features, sizeBytes }) => {
    const name = title === key ? key : `${title} (${key})`
    const cells = [numberText(features, language), bytesText(sizeBytes, language)]
    return `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(lastUse?.slice(0, 10) ?? texts.never)}</td>${cells.map((one) => `<td class="n">${one}</td>`).join('')}</tr>`
  })
  const head = `<th scope="col">${texts.keys.layer}</th><th scope="col">${texts.lastUse}</th><th scope="col" class="n">${texts.features}</th><th scope="col" class="n">${texts.size}</th>`
  return `<h2>${escapeHtml(texts.unused)} (${unused.length})</h2><div class="table"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}
