import { Type } from 'typebox'
import type { Clock } from '../../../../core/time/clock.ts'
import type { Services } from '../../../../monitoring/index.ts'
import type { SeriesReader } from '../../../../monitoring/query/index.ts'
import { reportGroupings } from '../../../../monitoring/query/index.ts'
import type { ReportAudience, ReportSettings } from '../../../../monitoring/report/index.ts'
import {
  createUsageReport,
  reportComparisons,
  reportLanguages,
  reportPolicy,
  writeCounterReport,
  writeInspireReport,
  writeReportCsv,
  writeReportHtml,
} from '../../../../monitoring/report/index.ts'
import type { FastifyReply, FastifyRequest } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { media } from '../../../description.ts'
import { operation } from '../../../endpoint.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import type { SeriesReads } from '../metrics/reader-thread.ts'
import { describeFields, queryFields } from '../parameters.ts'
import type { ReportCatalog } from './report-audience.ts'
import { reportAudience } from './report-audience.ts'
import type { ReportFormat, ReportQuery } from './report-query.ts'
import { readReportQuery, reportFormats, requireWholeAudience } from './report-query.ts'
import { ReportReply } from './report-schemas.ts'

/** Dependencies of the reports. */
export interface ReportDeps {
  series: Pick<SeriesReader<SeriesReads>, 'read'>
  catalog: ReportCatalog
  services: Pick<Services, 'list'>
  settings: ReportSettings
  wire: Pick<MonitoringNames, 'dialect'>
  clock: Clock
  /** Organization and program that a COUNTER report names. */
  publisher: { organisation: string; system: string }
}

/** Reads of the series on behalf of a request. */
function readsOf({ series }: Pick<ReportDeps, 'series'>, request: FastifyRequest, reply: FastifyReply) {
  const options = { owner: requestOwner(request), signal: clientSignal(reply) }
  return {
    usageReport: (query: Parameters<SeriesReads['usageReport']>[1]) =>
      series.read('usageReport', query, options),
    lastUse: (query: Parameters<SeriesReads['lastUse']>[1]) => series.read('lastUse', query, options),
    counterMonths: (query: Parameters<SeriesReads['counterMonths']>[1]) =>
      series.read('counterMonths', query, options),
    serviceMonths: (query: Parameters<SeriesReads['serviceMonths']>[1]) =>
      series.read('serviceMonths', query, options),
  }
}
type ReportReads = ReturnType<typeof readsOf>

const mediaTypes: Record<Exclude<ReportFormat, 'json'>, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
  counter: 'text/tab-separated-values; charset=utf-8',
  inspire: 'text/csv; charset=utf-8; header=present',
}
const fileEndings = { csv: 'csv', html: 'html', counter: 'tsv', inspire: 'csv' } as const

export const showReport = operation({
  summary: 'Get the usage report of a period',
  description:
    'Requests, visits, downloads, errors, times and bytes by layer, workspace, owner, country, program, referrer, day or month, compared with the period before or a year ago. Rows add up to `total`, except by `layer`, `workspace` and `owner`, where one request can count in several rows (`sumsToTotal` is false). A figure that was not collected is null and listed in `notKnown`. `visits` are visitors of single days, summed over days.',
  tags: ['monitoring'],
  hidesFromOthers: true,
  query: describeFields({
    from: 'First month or day, such as 2026-10 or 2026-10-05; default: the last month',
    to: 'Last month or day, which is included; default: the first one',
    zone: 'Time zone of the days: the one of TERRANE_ZONE, or UTC',
    by: Type.Enum([...reportGroupings], { description: 'Grouping of rows; default layer' }),
    compare: Type.Enum([...reportComparisons], {
      description: 'Compare with the same length before, or with the same dates a year ago',
    }),
    format: Type.Enum([...reportFormats], {
      description:
        'json (default), csv, html for print, counter (Dataset Master Report of the COUNTER Code of Practice for Research Data), or inspire (response times and answered requests by month)',
    }),
    language: Type.Enum([...reportLanguages], { description: 'Language of html; default: en' }),
  }),
  answers: {
    200: media('The report', {
      'application/json': ReportReply,
      'text/csv': Type.String(),
      'text/html': Type.String(),
      'text/tab-separated-values': Type.String(),
    }),
  },
  handle: async (deps: ReportDeps, request, reply) => {
    const query = readReportQuery(queryFields(request, deps.wire.dialect), deps)
    const audience = await reportAudience(deps.catalog, await request.rights())
    requireWholeAudience(audience.seesAll, query.by)
    const reads = readsOf(deps, request, reply)
    reply.header('cache-control', 'private, no-cache')
    if (query.format === 'counter')
      return sendText(reply, query, await counterText(deps, reads, { query, audience, request }))
    if (query.format === 'inspire') return sendText(reply, query, await inspireText(deps, reads, query))
    const report = await createUsageReport({ ...deps, reads }, { ...query, audience })
    if (query.format === 'csv') return sendText(reply, query, writeReportCsv(report))
    if (query.format === 'html') return sendText(reply, query, writeReportHtml(report, query))
    const rows = report.rows.map((row) => ({
      ...row,
      href: row.href === null ? null : request.link(row.href),
    }))
    return { report: { ...report, rows } }
  },
})

function sendText(reply: FastifyReply, { format, period }: ReportQuery, text: string): FastifyReply {
  if (format === 'json') return reply.send(text)
  if (format === 'html') reply.header('content-security-policy', reportPolicy)
  else
    reply.header(
      'content-disposition',
      `attachment; filename="usage-${format === 'csv' ? '' : `${format}-`}${period.first}-${period.last}.${fileEndings[format]}"`,
    )
  return reply.type(mediaTypes[format]).send(text)
}

function counterText(
  { clock, publisher }: Pick<ReportDeps, 'clock' | 'publisher'>,
  reads: ReportReads,
  { query, audience, request }: { query: ReportQuery; audience: ReportAudience; request: FastifyRequest },
): Promise<string> {
  return writeCounterReport(reads, {
    ...query,
    audience,
    publisher: publisher.organisation,
    createdBy: publisher.system,
    layerAddress: (key) => request.link(`/ogc/collections/${encodeURIComponent(key)}`),
    now: clock.now().getTime() / 1000,
  })
}

async function inspireText(
  { clock, services }: Pick<ReportDeps, 'clock' | 'services'>,
  reads: ReportReads,
  query: ReportQuery,
): Promise<string> {
  const names = new Map((await services.list()).map(({ id, name }) => [id, name]))
  return writeInspireReport(reads, { ...query, services: names, now: clock.now().getTime() / 1000 })
}
