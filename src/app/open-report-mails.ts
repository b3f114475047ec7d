import { type AccessRules, type Accounts, anonymous, callerNamed } from '../access/index.ts'
import type { SeriesReads } from '../api/rest/monitoring/metrics/reader-thread.ts'
import { reportAudience } from '../api/rest/monitoring/report/report-audience.ts'
import { baseUrl } from '../api/server/links.ts'
import type { Catalog } from '../catalog/index.ts'
import type { RemoteAccess } from '../inputs/index.ts'
import { createMailer, serverIdentity } from '../monitoring/index.ts'
import type { SeriesReader } from '../monitoring/query/index.ts'
import {
  countedZone,
  createUsageReport,
  ReportMails,
  ReportSubscriptions,
} from '../monitoring/report/index.ts'
import type { AppBase } from './services.ts'

interface ReportMailDeps extends AppBase {
  catalog: Catalog
  rules: AccessRules
  accounts: Pick<Accounts, 'users'>
  series: SeriesReader<SeriesReads>
  remote: RemoteAccess
}

/** Parts that send the monthly report. */
export interface ReportMailServices {
  subscriptions: ReportSubscriptions
  reportMails: ReportMails
}

/**
 * Opens the subscriptions to the monthly report and starts to send due mails; with `TERRANE_MONITORING=off` nothing is sent.
 * Adds functions that close them to `closers`.
 */
export function openReportMails(
  { settings, database, clock, log, catalog, rules, accounts, series, remote }: ReportMailDeps,
  closers: (() => void | Promise<void>)[],
): ReportMailServices {
  const { monitoring, server } = settings
  const { smtpUrl, mailFrom: from, isOn } = monitoring
  const identity = serverIdentity(baseUrl(server))
  const { authorities } = remote
  const zone = countedZone(monitoring)
  const mailer = smtpUrl && createMailer({ url: new URL(smtpUrl.reveal()), from, identity, authorities })
  const notice = mailer === undefined ? 'No mail is sent: TERRANE_SMTP_URL is not set' : undefined
  const subscriptions = new ReportSubscriptions({ database, clock, zone, notice })
  const reads = {
    usageReport: (query: Parameters<SeriesReads['usageReport']>[1]) => series.read('usageReport', query),
    lastUse: (query: Parameters<SeriesReads['lastUse']>[1]) => series.read('lastUse', query),
  }
  const reportMails = new ReportMails({
    database,
    clock,
    log,
    zone,
    mailer,
    identity,
    createReport: async ({ by, compare, createdBy }, period) => {
      const caller = (await callerNamed(accounts.users, createdBy)) ?? anonymous
      const audience = await reportAudience(catalog, (await rules.now()).rightsOf(caller))
      return createUsageReport(
        { reads, settings: monitoring, clock },
        { period, zone, by, compare, audience },
      )
    },
  })
  closers.push(() => reportMails.stop())
  if (isOn) reportMails.start()
  return { subscriptions, reportMails }
}
