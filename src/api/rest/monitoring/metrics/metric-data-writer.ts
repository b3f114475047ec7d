import type { Dialect } from '../../../../core/config/settings.ts'
import type { Resolution } from '../../../../monitoring/index.ts'
import {
  defaultLabel,
  type EventType,
  eventTypeOfId,
  isHostMetric,
  type MetricData,
  type MetricDataQuery,
  type MetricDataSlice,
  type NamedResource,
  type PeriodSpan,
  periodStart,
  type RowKey,
  type SliceStart,
  tellsUsers,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { namesOfDialect } from '../../../compat/geonode-monitoring.ts'
import { ByteText, bytesOf } from './byte-text.ts'
import type { HiddenSum } from './hidden-rows.ts'
import { HiddenRows, isHidden, notShown } from './hidden-rows.ts'

/** Request for metric data to a reader thread. */
export interface MetricDataRequest {
  query: MetricDataQuery
  dialect: Dialect
  /** Absolute address of the base path, for links to resources. */
  base: string
  /** Layers of this server, as `workspace:name`; where links lead to them. */
  layers?: ReadonlySet<string>
  /** Names of the layers that the caller may read; absent: all. */
  shown?: ReadonlySet<string>
  /** Start of the slice; absent for the first. */
  start?: SliceStart
}

const part = {
  val: bytesOf('"val":"'),
  integerVal: bytesOf('"val":'),
  min: bytesOf('","min":"'),
  minAfterInteger: bytesOf(',"min":"'),
  max: bytesOf('","max":"'),
  sum: bytesOf('","sum":"'),
  samples: bytesOf('","samples_count":'),
  count: bytesOf(',"metric_count":'),
  p50: bytesOf(',"p50":"'),
  p95: bytesOf('","p95":"'),
  p99: bytesOf('","p99":"'),
  quote: bytesOf('"'),
  comma: bytesOf(','),
  open: bytesOf('{'),
  close: bytesOf('}'),
}

/** Key of the row for hidden layers; ids are positive. */
const hiddenKey = -1
const expectedRowBytes = 160
const expectedPeriodBytes = 128

/** Writes a slice of the result as JSON: the first one with its head, the last one with its end. */
export function writeMetricData(
  request: MetricDataRequest,
  slice: MetricDataSlice,
  resolution: Resolution | undefined,
): Uint8Array<ArrayBuffer> {
  const { query } = request
  const wire = namesOfDialect(request.dialect)
  const { data, first, count } = slice
  const text = new ByteText(data.order.length * expectedRowBytes + (count + 2) * expectedPeriodBytes)
  if (first === 0) {
    const { metric } = data.query
    const head = {
      input_valid_from: wire.time(query.window.from),
      input_valid_to: wire.time(query.window.to),
      metric: metric.name,
      interval: query.window.intervalSeconds,
      type: metric.type,
      axis_label: metric.unit,
      label: query.label ?? null,
      resolution,
    }
    text.text(`{"data":${JSON.stringify(head).slice(0, -1)},"data":[`)
  }
  new RowWriter(text, request, data, wire).periods(slice)
  if (slice.next === undefined) text.text(']}}')
  return text.finish()
}

class RowWriter {
  readonly #text: ByteText
  readonly #request: MetricDataRequest
  readonly #data: MetricData
  readonly #wire: MonitoringNames
  readonly #columns: Record<'keys' | 'innerKeys' | 'min' | 'max' | 'sum' | 'samples' | 'count', Float64Array>
  /** Encoded fields of each key, written once. */
  readonly #keys = new Map<number, Uint8Array>()
  readonly #innerKeys = new Map<number, Uint8Array>()

  constructor(text: ByteText, request: MetricDataRequest, data: MetricData, wire: MonitoringNames) {
    this.#text = text
    this.#request = request
    this.#data = data
    this.#wire = wire
    const { rows } = data
    this.#columns = {
      keys: rows.column('key'),
      innerKeys: rows.column('innerKey'),
      min: rows.column('min'),
      max: rows.column('max'),
      sum: rows.column('sum'),
      samples: rows.column('samples'),
      count: rows.column('count'),
    }
  }

  periods({ first, count }: PeriodSpan): void {
    const { window } = this.#request.query
    const { rows, order } = this.#data
    const periodOf = rows.column('period')
    const text = this.#text
    const hidden = new HiddenRows(this.#data)
    let from = this.#wire.time(periodStart(window, first))
    let next = 0
    for (let period = 0; period < count; period += 1) {
      const to = this.#wire.time(periodStart(window, first + period + 1))
      text.text(`${first + period === 0 ? '' : ','}{"valid_from":"${from}","valid_to":"${to}","data":[`)
      from = to
      let isFirst = true
      for (; next < order.length; next += 1) {
        const row = order[next] ?? 0
        if (periodOf[row] !== period) break
        if (this.#isHidden(row)) {
          hidden.add(this.#hiddenSum(row))
          continue
        }
        if (!isFirst) text.bytes(part.comma)
        isFirst = false
        this.#row(row)
      }
      for (const sum of hidden.take()) {
        if (!isFirst) text.bytes(part.comma)
        isFirst = false
        this.#sums(hiddenKey, sum)
      }
      text.text(']}')
    }
  }

  /** True if the row is of a layer that the caller may not read. */
  #isHidden(row: number): boolean {
    const { shown } = this.#request
    if (shown === undefined || this.#data.query.shape.keys[0] !== 'resource') return false
    const resource = this.#data.resources.get(this.#columns.keys[row] ?? 0)
    return resource !== undefined && isHidden(resource, shown)
  }

  #hiddenSum(row: number): HiddenSum {
    const { innerKeys, min, max, sum, samples, count } = this.#columns
    return {
      innerKey: innerKeys[row] ?? 0,
      value: this.#data.values[row] ?? 0,
      min: min[row] ?? 0,
      max: max[row] ?? 0,
      sum: sum[row] ?? 0,
      samples: samples[row] ?? 0,
      count: count[row] ?? 0,
    }
  }

  #row(row: number): void {
    this.#sums(this.#columns.keys[row] ?? 0, this.#hiddenSum(row), this.#data.quantiles.get(row))
  }

  #sums(keyId: number, sums: HiddenSum, quantiles?: readonly number[]): void {
    const text = this.#text
    const [key, innerKey] = this.#data.query.shape.keys
    text.bytes(part.open)
    if (key !== undefined) text.bytes(this.#keyText(this.#keys, key, keyId))
    if (innerKey !== undefined) text.bytes(this.#keyText(this.#innerKeys, innerKey, sums.innerKey))
    this.#value(sums.value)
    text.decimal(sums.min)
    text.bytes(part.max)
    text.decimal(sums.max)
    text.bytes(part.sum)
    text.decimal(sums.sum)
    text.bytes(part.samples)
    text.integer(sums.samples)
    text.bytes(part.count)
    text.integer(sums.count)
    if (this.#data.quantiles.size > 0) this.#quantiles(quantiles)
    text.bytes(part.close)
  }

  /** Up to the beginning of the smallest value. */
  #value(value: number): void {
    const text = this.#text
    if (this.#data.query.shape.value === 'amount') {
      text.bytes(part.val)
      text.decimal(value)
      text.bytes(part.min)
    } else {
      text.bytes(part.integerVal)
      text.integer(value)
      text.bytes(part.minAfterInteger)
    }
  }

  #quantiles(values: readonly number[] | undefined): void {
    if (values === undefined) return
    const names = [part.p50, part.p95, part.p99]
    names.forEach((name, index) => {
      this.#text.bytes(name)
      this.#text.decimal(values[index] ?? 0)
    })
    this.#text.bytes(part.quote)
  }

  #keyText(known: Map<number, Uint8Array>, kind: RowKey, id: number): Uint8Array {
    let text = known.get(id)
    if (text === undefined) {
      text = bytesOf(`${JSON.stringify(this.#keyFields(kind, id)).slice(1, -1)},`)
      known.set(id, text)
    }
    return text
  }

  #keyFields(kind: RowKey, id: number): object {
    const { labels, resources } = this.#data
    if (kind === 'event_type') return this.#eventFields(eventTypeOfId(id) ?? 'all')
    if (kind === 'resource' && id === hiddenKey)
      return this.#resourceFields({ id: 0, type: 'layer', name: notShown })
    if (kind === 'resource') return this.#resourceFields(resources.get(id) ?? { id, type: 'other', name: '' })
    const { name = '', user = null } = labels.get(id) ?? {}
    if (kind === 'user') return { user }
    const { metric } = this.#data.query
    const hasUser = tellsUsers(metric) || (this.#wire.hasOlderRows && !isHostMetric(metric))
    return hasUser ? { label: name, user } : { label: name }
  }

  /** Rows without a label have the default one, or that of the filter. */
  #eventFields(type: EventType): object {
    const event_type = this.#wire.eventType(type)
    if (this.#wire.hasOlderRows) return { event_type }
    return { event_type, label: this.#request.query.label ?? defaultLabel(this.#data.query.metric) }
  }

  #resourceFields({ id, type, name }: NamedResource): object {
    const href = this.#wire.hasOlderRows ? { href: this.#hrefOf(type, name) } : {}
    return { id, resource: { id, type, name, ...href } }
  }

  /** Returns the URL of the resource; empty if unknown, as for layers of other servers. */
  #hrefOf(type: string, name: string): string {
    const { base, layers } = this.#request
    if (type === 'url') return `${base}${name}`
    return type === 'layer' && layers?.has(name) === true
      ? `${base}/rest/layers/${encodeURIComponent(name)}`
      : ''
  }
}
