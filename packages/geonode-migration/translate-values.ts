import { SkippedRecord } from './fields.ts'
import type { EventType, ResourceType } from './geonode-names.ts'
import { eventTypes, findEventType, getResourceType, resourceTypes } from './geonode-names.ts'
import type {
  DumpResource,
  RecordedPeriods,
  SeriesPeriod,
  SeriesTarget,
  TargetMetric,
} from './import-target.ts'
import type { TranslatedValue } from './metric-meaning.ts'
import { isReading, translateValue } from './metric-meaning.ts'
import type { StagedNamed, StagedResource, StagedService } from './stage-record.ts'
import type { Staging } from './staging.ts'
import type { Tally } from './tally.ts'

/** A service whose values can be imported. */
export interface TargetService {
  hiddenId: number
  recorded: RecordedPeriods
}

interface ValueRow {
  service: string
  metric: string
  event_type: string
  resource: string
  from_s: number
  to_s: number
  value: number
  samples: number
  label_pk: string
  label: string | null
  user_name: string | null
}

/** Row of translated values. */
interface TranslatedRow {
  service: string
  metric: number
  event_type: number
  resource: number
  resolution: SeriesPeriod['resolution']
  period: number
  label: string
  user_name: string | null
  value: number
  samples: number
}

interface Context {
  metric: TargetMetric
  recorded: RecordedPeriods
  checkInterval: number
  eventType: EventType
  /** 0: of all requests. */
  resource: number
  resourceType: ResourceType
}

const model = 'metricvalue'
const hour = 3600
const day = 86_400

const insert = `insert into rows values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (service, metric, event_type, resource, resolution, period, label) do update set
    user_name = coalesce(user_name, excluded.user_name),`
const insertSum = `${insert} value = value + excluded.value, samples = samples + excluded.samples`
const insertMean = `${insert} samples = samples + excluded.samples,
  value = (value * samples + excluded.value * excluded.samples) / (samples + excluded.samples)`

/** Translates the staged values to the target's metrics and periods. */
export class ValueTranslation {
  readonly #resources: DumpResource[] = []
  readonly #staging: Staging
  readonly #tally: Tally
  readonly #target: SeriesTarget
  /** By their keys in the dump. */
  readonly #services: ReadonlyMap<string, TargetService>
  readonly #resourceNumbers = new Map<string, number>()
  readonly #contexts = new Map<string, Context | string>()
  #counter = { key: '', reading: 0 }

  constructor(
    staging: Staging,
    tally: Tally,
    { target, services }: { target: SeriesTarget; services: ReadonlyMap<string, TargetService> },
  ) {
    this.#staging = staging
    this.#tally = tally
    this.#target = target
    this.#services = services
  }

  /** Translates all values; `onRow` is called for each. */
  run(onRow: () => void): void {
    const sql = `select v.service, v.metric, v.event_type, v.resource, v.from_s, v.to_s, v.value, v.samples,
        v.label as label_pk, l.name as label, l.user_name
      from vals v left join labels l on l.pk = v.label
      order by v.service, v.metric, v.event_type, v.resource, v.label, v.from_s, v.to_s`
    this.#tally.skipped(model, 'a later row with the same key replaces it', this.#replaced())
    this.#dropDoubles()
    for (const row of this.#staging.iterate<ValueRow>(sql)) {
      onRow()
      try {
        this.#translate(row)
        this.#tally.loaded(model)
      } catch (error) {
        if (!(error instanceof SkippedRecord)) throw error
        this.#tally.skipped(model, error.message)
      }
    }
    this.#boundTypes()
  }

  /** Yields the translated values, one series after the other; `onRow` is called for each row. */
  *periods(onRow: () => void): Generator<SeriesPeriod> {
    const sql = 'select * from rows order by service, metric, event_type, resource, resolution, period, label'
    let last: TranslatedRow | undefined
    let period: SeriesPeriod | undefined
    for (const row of this.#staging.iterate<TranslatedRow>(sql)) {
      onRow()
      if (period === undefined || last === undefined || !isSamePeriod(row, last)) {
        if (period !== undefined) yield period
        period = this.#periodOf(row)
      }
      last = row
      const { label, user_name: userName, value, samples } = row
      period.rows.push({ label, userName, value, samples })
    }
    if (period !== undefined) yield period
  }

  #periodOf(row: TranslatedRow): SeriesPeriod {
    const { resource } = row
    return {
      serviceId: this.#services.get(row.service)?.hiddenId ?? 0,
      metricId: row.metric,
      eventType: eventTypes[row.event_type] ?? 'all',
      resource: resource > 0 ? (this.#resources[resource - 1] ?? null) : resourceTypes[-resource] || null,
      resolution: row.resolution,
      start: row.period,
      rows: [],
    }
  }

  #replaced(): number {
    return this.#tally.openCount(model) - this.#staging.count('select count(*) as count from vals')
  }

  /**
   * Two rows of one period may represent all requests: without a resource and with the untyped one, without
   * an event type and with `all`. Only one of them counts.
   */
  #dropDoubles(): void {
    const nameless = [...this.#staging.objects<StagedResource>('monitoredresource')].filter(
      ([, { type }]) => type === '',
    )
    const all = [...this.#staging.objects<StagedNamed>('eventtype')].find(([, { name }]) => name === 'all')
    const before = this.#staging.count('select count(*) as count from vals')
    for (const [pk] of nameless) this.#dropTwins('resource', { drop: pk, keep: '' })
    if (all !== undefined) this.#dropTwins('event_type', { drop: '', keep: all[0] })
    const dropped = before - this.#staging.count('select count(*) as count from vals')
    this.#tally.skipped(model, 'a second row of all requests', dropped)
  }

  #dropTwins(column: 'resource' | 'event_type', { drop, keep }: { drop: string; keep: string }): void {
    const others = ['service', 'metric', 'event_type', 'resource', 'label', 'from_s', 'to_s']
      .filter((name) => name !== column)
      .map((name) => `twin.${name} = vals.${name}`)
    const sql = `delete from vals where ${column} = ? and exists (
      select 1 from vals twin where twin.${column} = ? and ${others.join(' and ')})`
    this.#staging.run(sql, drop, keep)
  }

  #translate(row: ValueRow): void {
    const context = this.#contextOf(row)
    const length = row.to_s - row.from_s
    if (length < 0) throw new SkippedRecord('valid_to is before valid_from')
    if (context.recorded.overlaps(row.from_s, row.to_s))
      throw new SkippedRecord('this server has counted the service itself at that time')
    const isAggregated = length > Math.max(60, context.checkInterval)
    const { metric } = context
    const source = { label: row.label ?? '', value: row.value, samples: row.samples, isAggregated }
    const translated = translateValue(metric, source, this.#target)
    if (isReading(metric)) translated.value = this.#sinceReadingBefore(row)
    this.#put(row, context, translated, context.resource)
    if (context.resource > 0)
      this.#put(row, context, translated, -resourceTypes.indexOf(context.resourceType))
  }

  #put(row: ValueRow, { metric, eventType }: Context, translated: TranslatedValue, resource: number): void {
    const resolution = resolutionOf(row.to_s - row.from_s)
    const period = Math.floor(row.from_s / resolution) * resolution
    this.#staging.run(
      metric.type === 'rate' ? insertMean : insertSum,
      row.service,
      metric.id,
      eventTypes.indexOf(eventType),
      resource,
      resolution,
      period,
      translated.label,
      row.user_name,
      translated.value,
      translated.samples,
    )
  }

  #sinceReadingBefore(row: ValueRow): number {
    const key = JSON.stringify([row.service, row.metric, row.label_pk])
    const before = this.#counter
    this.#counter = { key, reading: row.value }
    if (before.key !== key) throw new SkippedRecord('the first reading of a counter')
    if (row.value < before.reading) throw new SkippedRecord('the counter began anew')
    return row.value - before.reading
  }

  /** Returns the common data of rows with the same references; throws if a reference is invalid. */
  #contextOf(row: ValueRow): Context {
    const key = JSON.stringify([row.service, row.metric, row.event_type, row.resource])
    const known = this.#contexts.get(key) ?? this.#makeContext(row)
    if (!this.#contexts.has(key)) {
      // Rows are ordered by key: only the last context can be reused.
      this.#contexts.clear()
      this.#contexts.set(key, known)
    }
    if (typeof known === 'string') throw new SkippedRecord(known)
    return known
  }

  #makeContext(row: ValueRow): Context | string {
    const service = this.#staging.find<StagedService>('service', row.service)
    const recorded = this.#services.get(row.service)?.recorded
    if (service === undefined || recorded === undefined) return 'its service is not loaded'
    const pair = this.#staging.find<{ metric: string }>('servicetypemetric', row.metric)
    const named = pair && this.#staging.find<StagedNamed>('metric', pair.metric)
    if (named === undefined) return 'its metric is not in the dump'
    const metric = this.#target.findMetric(named.name)
    if (metric === undefined) return `there is no metric ${named.name} here`
    const eventType = this.#eventTypeOf(row.event_type)
    if (eventType === undefined) return 'there is no such event type here'
    const resource = this.#resourceOf(row.resource)
    if (resource === undefined) return 'its resource is not in the dump'
    if (metric.isHost && resource.number > 0) return 'a value of a host with a resource'
    return {
      metric,
      recorded,
      checkInterval: service.checkInterval,
      eventType: metric.isHost ? 'all' : eventType,
      resource: resource.number,
      resourceType: resource.type,
    }
  }

  /** Rows without an event type are of all requests. */
  #eventTypeOf(pk: string): EventType | undefined {
    if (pk === '') return 'all'
    const { name } =
      this.#staging.find<StagedNamed>('eventtype', pk) ??
      this.#staging.find<StagedNamed>('owsservice', pk) ??
      {}
    return name === undefined ? undefined : findEventType(name)
  }

  #resourceOf(pk: string): { number: number; type: ResourceType } | undefined {
    if (pk === '') return { number: 0, type: '' }
    const found = this.#staging.find<StagedResource>('monitoredresource', pk)
    if (found === undefined) return undefined
    const type = getResourceType(found.type)
    // A resource without type and name represents requests without one.
    if (type === '') return { number: 0, type }
    const key = `${type} ${found.name}`
    let number = this.#resourceNumbers.get(key)
    if (number === undefined) {
      number = this.#resources.push({ type, name: found.name })
      this.#resourceNumbers.set(key, number)
    }
    return { number, type }
  }

  /**
   * GeoNode does not report how many requests used resources of a type: uses the sum over its
   * resources, limited to all requests.
   */
  #boundTypes(): void {
    const whole = (column: string): string => `(select whole.${column} from rows whole
      where whole.service = rows.service and whole.metric = rows.metric and whole.event_type = rows.event_type
        and whole.resource = 0 and whole.resolution = rows.resolution and whole.period = rows.period
        and whole.label = rows.label)`
    // Each whole is looked up by its key: a join may be run the other way round, which takes forever.
    this.#staging.run(`update rows set value = min(value, ${whole('value')}), samples = ${whole('samples')}
      where resource < 0 and samples > ${whole('samples')}`)
  }
}

function isSamePeriod(a: TranslatedRow, b: TranslatedRow): boolean {
  return (
    a.period === b.period &&
    a.resource === b.resource &&
    a.event_type === b.event_type &&
    a.metric === b.metric &&
    a.resolution === b.resolution &&
    a.service === b.service
  )
}

/** Returns the resolution for values of a period length. */
function resolutionOf(length: number): SeriesPeriod['resolution'] {
  if (length < hour) return 60
  return length < day ? 3600 : 86_400
}
