import { Buffer } from 'node:buffer'
import { keysOf } from '../../core/values/record-keys.ts'
import type { RequestColumn, RequestColumns, TextColumn } from '../metrics/requests/request-metric.ts'
import type { RequestEventType } from '../model/event-types.ts'
import type { RequestEvent, UsedResource } from './request-event.ts'

/** Maximum length of texts in UTF-16 units: an index entry of PostgreSQL contains at most 2.7 KB. */
const maxText = 500
const maxResources = 200

type Text = string | null

/** Positions of columns in the header of a stored block. A position is never reassigned. */
const columnNumbers = { eventType: 0, status: 1, resources: 2, position: 16 } as const
const textPlaces = {
  method: 3,
  path: 4,
  userAgent: 5,
  userAgentFamily: 6,
  clientIp: 7,
  country: 8,
  region: 9,
  city: 10,
  visitor: 11,
  userName: 12,
  errorType: 13,
  host: 14,
  contentType: 15,
} satisfies Record<TextColumn, number>
const textColumns = keysOf(textPlaces)
/** Blocks of earlier versions have none of them. */
const usePlaces = { referrer: 17, kind: 18, network: 19, usageClass: 20, area: 21 } as const
const useColumns = keysOf(usePlaces)

/** The requests of a service in one minute, as columns. */
export interface RequestBlock extends RequestColumns {
  eventTypes: RequestColumn<RequestEventType | null>
  /** Resources of each request. */
  resources: RequestColumn<UsedResource[]>
  uses: Record<keyof typeof usePlaces, RequestColumn<Text>>
  /** Milliseconds since the minute began. */
  offsets: Uint16Array
  /** See `RequestFacts.isCountedOnly`; equal for all requests of the block. */
  isCountedOnly: boolean
}

type Packed = [dictionary: unknown[], width: 0 | 1 | 2 | 4]

interface Header {
  count: number
  columns: Packed[]
  /** Absent in blocks of earlier versions. */
  isCountedOnly?: boolean
  /** True if first-byte times follow the columns; absent in blocks of earlier versions. */
  hasFirstBytes?: boolean
}

/**
 * Encodes the requests of one service and minute: a JSON header with the values of each column, then numbers.
 * `isCountedOnly` must be equal for all of them.
 */
export function encodeRequests(events: readonly RequestEvent[]): Uint8Array {
  const count = events.length
  const columns: RequestColumn<unknown>[] = []
  columns[columnNumbers.eventType] = packColumn(events, (event) => event.eventType)
  columns[columnNumbers.status] = packColumn(events, (event) => event.status)
  columns[columnNumbers.resources] = packResources(events)
  for (const name of textColumns)
    columns[textPlaces[name]] = packColumn(events, (event) => event[name], cleanText)
  columns[columnNumbers.position] = packColumn(events, positionOf)
  for (const name of useColumns)
    columns[usePlaces[name]] = packColumn(events, (event) => event[name] ?? null, cleanText)
  const hasFirstBytes = events.some(({ firstByteMilliseconds }) => firstByteMilliseconds != null)
  const header: Header = {
    count,
    columns: columns.map(({ values, indexes }) => [
      values,
      (indexes?.BYTES_PER_ELEMENT ?? 0) as 0 | 1 | 2 | 4,
    ]),
    isCountedOnly: events[0]?.isCountedOnly || undefined,
    hasFirstBytes: hasFirstBytes || undefined,
  }
  const head = Buffer.from(JSON.stringify(header))
  const parts: Uint8Array[] = [Buffer.from(Uint32Array.of(head.length).buffer), head]
  parts.push(asBytes(Float64Array.from(events, (event) => event.sizeBytes)))
  parts.push(asBytes(Float64Array.from(events, (event) => event.milliseconds ?? Number.NaN)))
  parts.push(asBytes(Uint16Array.from(events, (event) => Math.floor(event.created) % 60_000)))
  for (const { indexes } of columns) if (indexes !== undefined) parts.push(asBytes(indexes))
  if (hasFirstBytes)
    parts.push(asBytes(Float64Array.from(events, (event) => event.firstByteMilliseconds ?? Number.NaN)))
  return Buffer.concat(parts)
}

/** Decodes the result of `encodeRequests`. */
export function decodeRequests(bytes: Uint8Array): RequestBlock {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerEnd = 4 + buffer.readUInt32LE(0)
  const header: Header = JSON.parse(buffer.toString('utf8', 4, headerEnd))
  const { count, columns, isCountedOnly = false, hasFirstBytes = false } = header
  let position = headerEnd
  const take = (size: number): ArrayBuffer => {
    const part = new Uint8Array(size)
    part.set(bytes.subarray(position, position + size))
    position += size
    return part.buffer
  }
  const sizes = new Float64Array(take(count * 8))
  const milliseconds = new Float64Array(take(count * 8))
  const offsets = new Uint16Array(take(count * 2))
  const read = columns.map(([values, width]) => ({ values, indexes: indexesOf(width, take(count * width)) }))
  const firstByteMilliseconds = hasFirstBytes
    ? new Float64Array(take(count * 8))
    : new Float64Array(count).fill(Number.NaN)
  const column = <T>(index: number): RequestColumn<T> => read[index] as RequestColumn<T>
  const uses = useColumns.map((name) => [name, column<Text>(usePlaces[name]) ?? nothing])
  return {
    count,
    sizes,
    milliseconds,
    firstByteMilliseconds,
    offsets,
    isCountedOnly,
    uses: Object.fromEntries(uses) as RequestBlock['uses'],
    eventTypes: column(columnNumbers.eventType),
    statuses: column(columnNumbers.status),
    resources: column(columnNumbers.resources),
    texts: Object.fromEntries(textColumns.map((name) => [name, column(textPlaces[name])])) as Record<
      TextColumn,
      RequestColumn<Text>
    >,
  }
}

const nothing: RequestColumn<Text> = { values: [null], indexes: undefined }

/**
 * Returns a text that both databases store and compare identically: no NUL, no lone surrogate, limited
 * length.
 */
export function cleanText(text: Text): Text {
  if (text === null) return null
  const short = text.length > maxText ? text.slice(0, maxText) : text
  return short.toWellFormed().replaceAll('\0', '\uFFFD')
}

function packColumn<T>(
  events: readonly RequestEvent[],
  read: (event: RequestEvent) => T,
  clean: (value: T) => T = (value) => value,
): RequestColumn<T> {
  const packer = new Packer<T, T>(events.length, clean)
  for (const event of events) packer.add(read(event))
  return packer.finish()
}

function packResources(events: readonly RequestEvent[]): RequestColumn<UsedResource[]> {
  const packer = new Packer<string, UsedResource[]>(events.length, (key) => {
    const found = sets.get(key) ?? []
    return found.slice(0, maxResources).map(cleanResource)
  })
  const sets = new Map<string, UsedResource[]>()
  for (const { resources } of events) {
    let key = ''
    for (const { type, name, owner = '' } of resources) key += `${type}=${name}=${owner}\n`
    if (!sets.has(key)) sets.set(key, resources)
    packer.add(key)
  }
  return packer.finish()
}

function cleanResource({ type, name, owner }: UsedResource): UsedResource {
  const clean: UsedResource = { type, name: cleanText(name) ?? '' }
  const cleanOwner = owner === undefined ? null : cleanText(owner)
  return cleanOwner === null ? clean : { ...clean, owner: cleanOwner }
}

/** Assigns numbers to the distinct values of a column. */
class Packer<K, T> {
  readonly #known = new Map<K, number>()
  readonly #values: T[] = []
  readonly #indexes: Uint32Array
  readonly #toValue: (key: K) => T
  #count = 0
  #lastKey: K | undefined
  #lastIndex = -1

  constructor(count: number, toValue: (key: K) => T) {
    this.#indexes = new Uint32Array(count)
    this.#toValue = toValue
  }

  add(key: K): void {
    if (key !== this.#lastKey || this.#lastIndex < 0) {
      this.#lastKey = key
      this.#lastIndex = this.#known.get(key) ?? this.#learn(key)
    }
    this.#indexes[this.#count] = this.#lastIndex
    this.#count += 1
  }

  finish(): RequestColumn<T> {
    const size = this.#values.length
    if (size <= 1) return { values: this.#values, indexes: undefined }
    if (size <= 256) return { values: this.#values, indexes: Uint8Array.from(this.#indexes) }
    const indexes = size <= 65_536 ? Uint16Array.from(this.#indexes) : this.#indexes
    return { values: this.#values, indexes }
  }

  #learn(key: K): number {
    const index = this.#values.push(this.#toValue(key)) - 1
    this.#known.set(key, index)
    return index
  }
}

function positionOf({ latitude, longitude }: RequestEvent): string | null {
  return latitude === null || longitude === null ? null : `${latitude} ${longitude}`
}

function asBytes(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

function indexesOf(width: number, buffer: ArrayBuffer): RequestColumn<unknown>['indexes'] {
  if (width === 0) return undefined
  if (width === 1) return new Uint8Array(buffer)
  return width === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer)
}
