// Usage reports: figures of a period by layer, country and others, their formats, and monthly mails. Does not know HTTP or the
// catalogue: it is given the layers that a reader may see. Start reading at `usage-report.ts`.

export { writeCounterReport } from './counter-report.ts'
export { writeInspireReport } from './inspire-report.ts'
export { ReportMails } from './mails/report-mails.ts'
export { type ListedSubscription, ReportSubscriptions } from './mails/subscriptions.ts'
export {
  type ReportAudience,
  type ReportComparison,
  type ReportLayer,
  reportComparisons,
} from './report.ts'
export { writeReportCsv } from './report-csv.ts'
export { reportPolicy, writeReportHtml } from './report-html.ts'
export {
  lengthOf,
  maxReportDays,
  parseReportDate,
  type ReportPeriod,
  spanOf,
} from './report-period.ts'
export { type ReportLanguage, reportLanguages } from './report-texts.ts'
export {
  countedZone,
  createUsageReport,
  lastMonth,
  type ReportSettings,
} from './usage-report.ts'
