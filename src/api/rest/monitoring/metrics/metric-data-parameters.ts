import { Type } from 'typebox'
import { notFound } from '../../../../core/errors/errors.ts'
import { ownValue } from '../../../../core/values/record-keys.ts'
import {
  alignWindow,
  findMetric,
  type Grouping,
  groupings,
  type Metric,
  type MetricDataQuery,
  maxIntervalSeconds,
  maxPeriods,
  metricsOf,
  minIntervalSeconds,
  namesWhere,
  pagesServiceId,
  type RequestedWindow,
  type ResourceName,
  resourceTypes,
  type ServiceRecord,
  type ServiceType,
  type TimeWindow,
  tellsUsers,
  type WindowRefusal,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import type { Fields } from '../parameters.ts'
import { describeFields } from '../parameters.ts'

/** Shortest that a window or a period can be. */
export const shortestSeconds = minIntervalSeconds
/** Longest that they can be: a hundred years. */
const longestSeconds = maxIntervalSeconds
const secondsBounds = { minimum: shortestSeconds, maximum: longestSeconds }
export const namedTypes = resourceTypes.filter((type) => type !== '')

const alignments = ['day', 'start'] as const
/** Whose requests are counted. */
const traffics = ['all', 'pages'] as const

const synonyms: Record<string, Grouping> = {
  resource_no_labels: 'resource_no_label',
  resource_on_label: 'resource_no_label',
}
const userMetrics = namesWhere(tellsUsers)
const groupingWords = [...groupings, ...Object.keys(synonyms)]

export const MetricDataParameters = describeFields({
  valid_from: 'Data from this time on; default: one interval before valid_to',
  valid_to: 'Data before this time; default: now',
  last: Type.Integer({
    description:
      'Number of seconds up to the end of the last complete minute; not together with valid_from and valid_to',
    ...secondsBounds,
  }),
  interval: Type.Integer({
    description: `Length of a period in seconds, at least ${shortestSeconds}. Default: 60 for up to a day, 3600 for up to 31 days, otherwise 86400`,
    ...secondsBounds,
  }),
  align: Type.Enum([...alignments], {
    description:
      'Start of the first period: 0:00 UTC of the first day (`day`, the default), or the minute of valid_from (`start`), for example midnight in another time zone',
  }),
  label: 'Only data of this label',
  user: `Only data of labels of this user; for ${userMetrics}`,
  resource: 'Id of a resource, or its type and name such as layer=ws:roads',
  resource_type: Type.Enum(namedTypes, { description: 'Only data of resources of this type' }),
  service: 'Name of a service; not together with service_type',
  service_type: 'Only services of this type',
  event_type: 'Name of an event type; default: all',
  traffic: Type.Enum([...traffics], {
    description:
      'All requests (`all`, the default), or only requests sent by the pages of this server (`pages`)',
  }),
  group_by: Type.Enum(groupingWords, {
    description: `Grouping of rows: ${groupingWords.join(', ')}; default by label`,
  }),
})

export interface ParameterContext {
  wire: MonitoringNames
  services: readonly ServiceRecord[]
  now: number
}

/** The metric that a path names. Throws `Failure` (`notFound`). */
export function pathMetric(name: string): Metric {
  const metric = findMetric(name)
  if (metric === undefined) throw notFound('unknown-metric', `Metric ${name.slice(0, 100)} does not exist`)
  return metric
}

/** Throws `FieldFailure` with everything that is wrong, `Failure` (`notFound`) for a metric that the service lacks. */
export function readMetricDataQuery(
  fields: Fields,
  metric: Metric,
  context: ParameterContext,
): MetricDataQuery {
  const { wire } = context
  const services = readServices(fields, context)
  const grouping = readGrouping(fields)
  const isOfPages = fields.choice('traffic', traffics) === 'pages'
  const ids = services?.ids ?? context.services.map(({ id }) => id)
  const resourceType = fields.choice('resource_type', namedTypes)
  const resource = readResource(fields)
  const label = fields.text('label')
  const user = fields.text('user')
  const eventName = fields.text('event_type')
  const eventType = eventName === undefined ? undefined : wire.findEventType(eventName)
  if (eventName !== undefined && eventType === undefined) fields.failChoice('event_type', eventName)
  if (user !== undefined && !tellsUsers(metric))
    fields.fail('user', `Only ${userMetrics} tells users, ${metric.name} does not.`)
  const window = readWindow(fields, context)
  fields.finish()
  refuseForeignMetric(metric, services?.type, wire)
  return {
    metric: metric.name,
    window: window ?? unreachable(),
    grouping,
    serviceIds: isOfPages ? ids.map(pagesServiceId) : services?.ids,
    eventType,
    ...(label === undefined ? {} : { label, isLabelId: wire.hasPlainWindows }),
    resource,
    resourceType,
    user,
  }
}

function unreachable(): never {
  throw new Error('The window was checked before')
}

interface ChosenServices {
  type: ServiceType
  ids: number[]
}

function readServices(fields: Fields, { wire, services }: ParameterContext): ChosenServices | undefined {
  const name = fields.text('service')
  const typeName = fields.text('service_type')
  if (name !== undefined && typeName !== undefined)
    return fields.fail('__all__', 'Cannot use service and service type at the same time')
  if (name !== undefined) {
    const service = services.find((one) => one.name === name)
    if (service === undefined) return fields.failChoice('service', name)
    return { type: service.type, ids: [service.id] }
  }
  if (typeName === undefined) return undefined
  const type = wire.findServiceType(typeName)
  if (type === undefined) return fields.failChoice('service_type', typeName)
  return { type, ids: services.filter((one) => one.type === type).map(({ id }) => id) }
}

function refuseForeignMetric(metric: Metric, type: ServiceType | undefined, wire: MonitoringNames): void {
  if (type === undefined || metricsOf(type).includes(metric)) return
  throw notFound(
    'metric-of-other-service',
    `Services of the type ${wire.serviceType(type)} have no metric ${metric.name}`,
  )
}

function readGrouping(fields: Fields): Grouping | undefined {
  const word = fields.choice('group_by', groupingWords)
  return word === undefined ? undefined : (ownValue(synonyms, word) ?? groupings.find((one) => one === word))
}

function readResource(fields: Fields): ResourceName | undefined {
  const text = fields.text('resource')
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) }
  const at = text.indexOf('=')
  const type = namedTypes.find((one) => one === text.slice(0, Math.max(at, 0)))
  if (type !== undefined && at < text.length - 1) return { type, name: text.slice(at + 1) }
  const example = 'Enter the id of a resource, or its type and name such as layer=ws:roads.'
  return fields.fail('resource', example)
}

function readWindow(fields: Fields, { wire, now }: ParameterContext): TimeWindow | undefined {
  const requestedWindow = readMetricPeriod(fields)
  if (requestedWindow === undefined) return undefined
  const intervalSeconds = fields.integer('interval', { min: shortestSeconds, max: longestSeconds })
  const isFromStart = fields.choice('align', alignments) === 'start'
  const window = alignWindow(
    { ...requestedWindow, isFromStart, intervalSeconds: intervalSeconds ?? requestedWindow.intervalSeconds },
    { now, isAligned: !wire.hasPlainWindows },
  )
  if (!('refusal' in window)) return window
  const [field, message] = refusalText(window, requestedWindow)
  return fields.fail(field, message)
}

function refusalText(refusal: WindowRefusal, { validTo }: RequestedWindow): [field: string, message: string] {
  if (refusal.refusal === 'too-many-periods')
    return [
      'interval',
      `The window has ${refusal.periods} periods of this length; ${maxPeriods} are possible. Use an interval of at least ${refusal.fittingSeconds} seconds.`,
    ]
  return validTo === undefined
    ? ['valid_from', 'Ensure this time is not in the future, or give valid_to.']
    : ['valid_to', 'Ensure this time is not before valid_from.']
}

/** `valid_from`, `valid_to` or `last`; undefined where they contradict each other. */
export function readMetricPeriod(fields: Fields): RequestedWindow | undefined {
  const validFrom = fields.time('valid_from')
  const validTo = fields.time('valid_to')
  const lastSeconds = fields.integer('last', { min: shortestSeconds, max: longestSeconds })
  if (lastSeconds === undefined) return { validFrom, validTo }
  if (validFrom === undefined && validTo === undefined) return { lastSeconds }
  return fields.fail('__all__', 'Cannot use last and valid_from/valid_to at the same time')
}
