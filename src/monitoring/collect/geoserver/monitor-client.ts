import { explain } from '../../../core/errors/errors.ts'
import { FetchFailure, fetchText } from '../../../core/network/fetch-text.ts'
import type { ListFormat, MonitorList } from './monitor-list.ts'
import { listFormats, readList, readRecord } from './monitor-list.ts'
import type { RequestData } from './request-data.ts'

const timeoutMs = 10_000
const maxBytes = 32 << 20
const recordFormats = ['json', 'xml'] as const
type RecordFormat = (typeof recordFormats)[number]

export interface MonitorSource {
  /** Base URL of the GeoServer. */
  url: string
  user?: string
  password?: string
}

export interface MonitorListQuery {
  /** Milliseconds since 1970; undefined for all. */
  from: number | undefined
  offset: number
  count: number
}

/** Client of GeoServer's monitor. Caches the format of its responses. */
export class MonitorClient {
  readonly #source: MonitorSource
  readonly #base: string
  #listFormat: ListFormat | undefined
  /** Format in which the server returned a record. */
  #recordFormat: RecordFormat | undefined

  constructor(source: MonitorSource) {
    this.#source = source
    this.#base = `${source.url.replace(/\/+$/, '').replace(/\/rest\/monitor\/requests(\.\w+)?$/, '')}/rest/monitor/requests`
  }

  /** Lists requests by start time, earliest first. Tries JSON, then XML, then the links of the HTML page. */
  async list(query: MonitorListQuery, signal: AbortSignal): Promise<MonitorList> {
    if (this.#listFormat !== undefined) return this.#listAs(this.#listFormat, query, signal)
    const failures: unknown[] = []
    for (const format of listFormats) {
      try {
        const list = await this.#listAs(format, query, signal)
        this.#listFormat = format
        return list
      } catch (error) {
        failures.push(error)
        if (!isOfFormat(error)) break
      }
    }
    throw failures.at(-1)
  }

  /**
   * Returns undefined if the record no longer exists: a server without the requested format responds in the
   * same way, so all formats are tried until one has succeeded.
   */
  async record(id: number, signal: AbortSignal): Promise<RequestData | undefined> {
    const formats = this.#recordFormat === undefined ? recordFormats : [this.#recordFormat]
    const failures: unknown[] = []
    for (const format of formats) {
      try {
        const record = await this.#recordAs(format, id, signal)
        this.#recordFormat = format
        return record
      } catch (error) {
        failures.push(error)
        if (!isOfFormat(error)) break
      }
    }
    if (failures.every(isGone)) return undefined
    throw failures.findLast((error) => !isGone(error))
  }

  async #listAs(format: ListFormat, query: MonitorListQuery, signal: AbortSignal): Promise<MonitorList> {
    const parameters = new URLSearchParams({ order: 'startTime', count: String(query.count) })
    if (query.offset > 0) parameters.set('offset', String(query.offset))
    if (query.from !== undefined)
      parameters.set('from', `${new Date(query.from).toISOString().slice(0, 19)}+0000`)
    const address = `${this.#base}.${format}?${parameters}`
    return this.#read(address, signal, (text) => readList(text, format))
  }

  #recordAs(format: RecordFormat, id: number, signal: AbortSignal): Promise<RequestData> {
    return this.#read(`${this.#base}/${id}.${format}`, signal, (text) => {
      const record = readRecord(text, format)
      if (record === undefined) throw new Error('It is not a record of a request')
      return record
    })
  }

  async #read<T>(address: string, signal: AbortSignal, parse: (text: string) => T): Promise<T> {
    const { user, password } = this.#source
    const text = await fetchText(address, { timeoutMs, maxBytes, signal, user, password })
    try {
      return parse(text)
    } catch (error) {
      const { origin, pathname } = new URL(address)
      throw new AnswerError(`${origin}${pathname} answered what cannot be read: ${explain(error)}`)
    }
  }
}

class AnswerError extends Error {}

/** True if another format may succeed: the response could not be parsed, or the server could not write it. */
function isOfFormat(error: unknown): boolean {
  if (error instanceof AnswerError) return true
  return error instanceof FetchFailure && [400, 404, 406, 415, 500, 501].includes(error.status ?? 0)
}

function isGone(error: unknown): boolean {
  return error instanceof FetchFailure && error.status === 404
}
