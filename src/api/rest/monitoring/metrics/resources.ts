import { Type } from 'typebox'
import type { Rights } from '../../../../access/index.ts'
import type { Clock } from '../../../../core/time/clock.ts'
import {
  findMetric,
  type PeriodResourceQuery,
  type SeriesReader,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import { listReplies } from '../bodies.ts'
import type { Fields } from '../parameters.ts'
import { describeFields, queryFields } from '../parameters.ts'
import { namedTypes, readMetricPeriod, shortestSeconds } from './metric-data-parameters.ts'
import type { SeriesReads } from './reader-thread.ts'
import { sendParts } from './send-chunks.ts'

const tags = ['monitoring']

const filters = {
  metric_name: 'Only items with values of this metric',
  valid_from: 'Only items with values from this time on',
  valid_to: 'Only items with values up to this time',
  last: Type.Integer({
    description:
      'Only items with values in the last seconds, up to now; not together with valid_from and valid_to',
    minimum: shortestSeconds,
  }),
  interval: Type.Integer({ description: 'Not supported', minimum: shortestSeconds }),
}

export interface UsedListDeps {
  series: Pick<SeriesReader<SeriesReads>, 'stream'>
  wire: MonitoringNames
  clock: Clock
}

/** Names of the layers that a caller may read, as `workspace:name`. */
export interface ReadableLayers {
  readableLayers(rights: Rights): Promise<ReadonlySet<string>>
}

export const listResources = operation({
  summary: 'List resources that were used',
  description: 'Layers, styles and addresses that requests have asked for, with their ids and types.',
  tags,
  hidesFromOthers: true,
  query: describeFields({
    ...filters,
    resource_type: Type.Enum(namedTypes, { description: 'Only resources of this type' }),
  }),
  ...listReplies('resources', Type.Object({ id: Type.Integer(), type: Type.String(), name: Type.String() })),
  handle: async ({ series, wire, clock, readableLayers }: UsedListDeps & ReadableLayers, request, reply) => {
    const fields = queryFields(request, wire.dialect)
    const type = fields.choice('resource_type', namedTypes)
    const query = { ...readListQuery(fields, clock), type }
    const rights = await request.rights()
    const shown = rights.can('read', '*') ? undefined : await readableLayers(rights)
    const requested = { query, dialect: wire.dialect, shown }
    const options = { owner: requestOwner(request), signal: clientSignal(reply) }
    return sendParts(reply, series.stream('resources', requested, options))
  },
})

export const listLabels = operation({
  summary: 'List labels',
  description: 'Values that metrics are split by, such as browsers, countries and networks.',
  tags,
  hidesFromOthers: true,
  query: describeFields(filters),
  ...listReplies('labels', Type.Object({ id: Type.Integer(), name: Type.String() })),
  handle: async ({ series, wire, clock }: UsedListDeps, request, reply) => {
    const requested = {
      query: readListQuery(queryFields(request, wire.dialect), clock),
      dialect: wire.dialect,
    }
    const options = { owner: requestOwner(request), signal: clientSignal(reply) }
    return sendParts(reply, series.stream('labels', requested, options))
  },
})

/** Throws `FieldFailure`. */
function readListQuery(fields: Fields, clock: Clock): PeriodResourceQuery {
  const metric = fields.text('metric_name')
  if (metric !== undefined && findMetric(metric) === undefined) fields.failChoice('metric_name', metric)
  fields.integer('interval', { min: shortestSeconds })
  const { validFrom, validTo, lastSeconds } = readMetricPeriod(fields) ?? {}
  if (validFrom !== undefined && validTo !== undefined && validTo < validFrom)
    fields.fail('valid_to', 'Ensure this time is not before valid_from.')
  fields.finish()
  const from = lastSeconds === undefined ? validFrom : clock.now().getTime() - lastSeconds * 1000
  return { metric, from: toSeconds(from), to: toSeconds(validTo) }
}

function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000
}
