import { escapeHtml } from '../../../core/text/escape.ts'
import type { ServerIdentity } from '../../notify/channels/channel.ts'
import type { Mail } from '../../notify/channels/mail/send-mail.ts'
import type { UsageReport } from '../report.ts'
import { writeReportCsv } from '../report-csv.ts'
import { writeReportHtml } from '../report-html.ts'
import { writeReportText } from '../report-text.ts'
import { reportTexts } from '../report-texts.ts'
import type { ReportSubscription } from './subscription-repository.ts'

/** Maximum number of rows in the body of a mail; the attached file contains all rows. */
const maxRows = 100

/** Creates the mail of a month: HTML and plain text, with the complete report as CSV attachment. */
export function toReportMail(
  report: UsageReport,
  { id, language, by, compare }: ReportSubscription,
  { host, baseUrl }: ServerIdentity,
): Pick<Mail, 'subject' | 'text' | 'html' | 'attachments'> {
  const texts = reportTexts[language]
  const query = new URLSearchParams({ from: report.from, to: report.to, by, language, format: 'html' })
  if (compare !== undefined) query.set('compare', compare)
  const reportUrl = `${baseUrl}/monitoring/api/report?${query}`
  const subscriptionUrl = `${baseUrl}/monitoring/api/report/subscriptions/${id}`
  const link = (url: string, caption: string): string =>
    `<a href="${escapeHtml(url)}">${escapeHtml(caption)}</a>`
  const foot = `<p>${link(reportUrl, texts.open)}</p><p>${escapeHtml(texts.unsubscribe)} DELETE ${escapeHtml(subscriptionUrl)}</p>`
  const text = writeReportText(report, { language, maxRows })
  return {
    subject: texts.subject(host, report.from),
    text: `${text}\n${texts.open}: ${reportUrl}\n${texts.unsubscribe} DELETE ${subscriptionUrl}\n`,
    html: writeReportHtml(report, { language, maxRows, foot }),
    attachments: [
      {
        filename: `usage-${report.from}.csv`,
        content: writeReportCsv(report),
        contentType: 'text/csv; charset=utf-8',
      },
    ],
  }
}
