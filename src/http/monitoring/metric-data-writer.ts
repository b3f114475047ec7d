import type { Dialect } from '../../config/settings.ts'
import type { EventType } from '../../monitoring/model/event-types.ts'
import { eventTypes } from '../../monitoring/model/event-types.ts'
import { defaultLabel } from '../../monitoring/model/metrics.ts'
import { periodStart } from '../../monitoring/query/align-window.ts'
import type { RowKey } from '../../monitoring/query/grouping.ts'
import type { MetricData } from '../../monitoring/query/metric-data.ts'
import type { MetricDataQuery } from '../../monitoring/query/metric-data-query.ts'
import type { NamedResource } from '../../monitoring/query/names.ts'
import { ByteText, bytesOf } from './byte-text.ts'
import type { MonitoringWire } from './dialect.ts'
import { wireOf } from './dialect.ts'

/** What a reader thread is asked for metric data. */
export interface MetricDataRequest {
  query: MetricDataQuery
  dialect: Dialect
  /** Absolute address of the base path, for links to resources. */
  base: string
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

/** The answer of metric data as JSON. */
export function writeMetricData(request: MetricDataRequest, data: MetricData): Uint8Array<ArrayBuffer> {
  const { query } = request
  const wire = wireOf(request.dialect)
  const { metric } = data.query
  const text = new ByteText()
  const head = {
    input_valid_from: wire.time(query.window.from),
    input_valid_to: wire.time(query.window.to),
    metric: metric.name,
    interval: query.window.intervalSeconds,
    type: metric.type,
    axis_label: metric.unit,
    label: query.label ?? null,
    ...(data.resolution === undefined ? {} : { resolution: data.resolution }),
  }
  text.text(`{"data":${JSON.stringify(head).slice(0, -1)},"data":[`)
  new RowWriter(text, request, data, wire).periods()
  text.text(']}}')
  return text.finish()
}

class RowWriter {
  readonly #text: ByteText
  readonly #request: MetricDataRequest
  readonly #data: MetricData
  readonly #wire: MonitoringWire
  /** What stands in rows for each key, written once. */
  readonly #keys = new Map<number, Uint8Array>()
  readonly #innerKeys = new Map<number, Uint8Array>()

  constructor(text: ByteText, request: MetricDataRequest, data: MetricData, wire: MonitoringWire) {
    this.#text = text
    this.#request = request
    this.#data = data
    this.#wire = wire
  }

  periods(): void {
    const { window } = this.#request.query
    const { rows, order } = this.#data
    let next = 0
    for (let period = 0; period < window.count; period += 1) {
      const [from, to] = [period, period + 1].map((index) => this.#wire.time(periodStart(window, index)))
      this.#text.text(`${period === 0 ? '' : ','}{"valid_from":"${from}","valid_to":"${to}","data":[`)
      for (let isFirst = true; next < order.length; next += 1, isFirst = false) {
        const row = order[next] ?? 0
        if (rows.get(row, 'period') !== period) break
        if (!isFirst) this.#text.bytes(part.comma)
        this.#row(row)
      }
      this.#text.text(']}')
    }
  }

  #row(row: number): void {
    const text = this.#text
    const { rows, query, values, quantiles } = this.#data
    const [key, innerKey] = query.shape.keys
    text.bytes(part.open)
    if (key !== undefined) text.bytes(this.#keyText(this.#keys, key, rows.get(row, 'key')))
    if (innerKey !== undefined)
      text.bytes(this.#keyText(this.#innerKeys, innerKey, rows.get(row, 'innerKey')))
    this.#value(values[row] ?? 0)
    text.decimal(rows.get(row, 'min'))
    text.bytes(part.max)
    text.decimal(rows.get(row, 'max'))
    text.bytes(part.sum)
    text.decimal(rows.get(row, 'sum'))
    text.bytes(part.samples)
    text.integer(rows.get(row, 'samples'))
    text.bytes(part.count)
    text.integer(rows.get(row, 'count'))
    const found = quantiles.get(row)
    if (found !== undefined) this.#quantiles(found)
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

  #quantiles(values: readonly number[]): void {
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
    if (kind === 'event_type') return this.#eventFields(eventTypes[id] ?? 'all')
    if (kind === 'resource') return this.#resourceFields(resources.get(id) ?? { id, type: 'other', name: '' })
    const { name = '', user = null } = labels.get(id) ?? {}
    if (kind === 'user') return { user }
    const hasUser = this.#wire.isOlder || this.#data.query.metric.name === 'request.users'
    return hasUser ? { label: name, user } : { label: name }
  }

  /** Nothing tells their rows apart by label, so that they have the default one, or that of the filter. */
  #eventFields(type: EventType): object {
    const event_type = this.#wire.eventType(type)
    if (this.#wire.isOlder) return { event_type }
    return { event_type, label: this.#request.query.label ?? defaultLabel(this.#data.query.metric) }
  }

  #resourceFields({ id, type, name }: NamedResource): object {
    const href = this.#wire.isOlder ? { href: this.#hrefOf(type, name) } : {}
    return { id, resource: { id, type, name, ...href } }
  }

  /** Where the resource is shown; empty where that is not known. */
  #hrefOf(type: string, name: string): string {
    if (type === 'url') return name
    return type === 'layer' ? `${this.#request.base}/rest/layers/${encodeURIComponent(name)}` : ''
  }
}
