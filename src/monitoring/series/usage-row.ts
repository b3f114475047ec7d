import type { UsageClass } from '../model/event-types.ts'
import { usageClasses } from '../model/event-types.ts'
import { BlockByteReader, ByteWriter } from './bytes.ts'
import type { Precision } from './distinct-sketch.ts'
import type { CounterTotals } from './double-clicks.ts'
import { CounterUse } from './double-clicks.ts'
import { TimeTally } from './time-tally.ts'
import { VisitorCount } from './visitor-count.ts'

/** A row with more requests stores buckets of times instead of the times themselves. */
const maxSingleTimes = 100
/** Visitors of an open day: exact up to 1,000, beyond it with a standard error of 1.6 % in 3 KiB. */
const precision: Precision = { exactLimit: 1000, indexBits: 12 }

/** People or robots, from the operator's own networks or from outside. The value is the cell's index. */
export const usageCells = { ownPeople: 0, outsidePeople: 1, ownRobots: 2, outsideRobots: 3 } as const
const cellCount = 4
/** Sets of cells with a common number of visitors. */
export const cellSets = {
  all: [0, 1, 2, 3],
  people: [usageCells.ownPeople, usageCells.outsidePeople],
  outside: [usageCells.outsidePeople, usageCells.outsideRobots],
} as const
export type CellSet = keyof typeof cellSets
/** Names of the sets in the order of stored overlaps. */
export const cellSetNames = Object.keys(cellSets) as CellSet[]

/** COUNTER's access methods: a person's program, or a script. Robots are excluded. */
export const accessMethods = ['regular', 'machine'] as const
export type AccessMethod = (typeof accessMethods)[number]

const formVersion = 1
const formSketch = 2
const formCounter = 4
const formCommonTimes = 8
/** Flags in the first byte of a row. */
export const usageForms = { sketch: formSketch, commonTimes: formCommonTimes } as const

/** Times of requests. */
class RequestTimes {
  /** Times until the first byte of the response was sent. */
  readonly firstByte: TimeTally
  readonly total: TimeTally

  constructor(firstByte = new TimeTally(), total = new TimeTally()) {
    this.firstByte = firstByte
    this.total = total
  }

  static read(reader: BlockByteReader, isSketch: boolean): RequestTimes {
    const firstByte = TimeTally.read(reader, isSketch)
    return new RequestTimes(firstByte, TimeTally.read(reader, isSketch))
  }

  merge(other: RequestTimes): void {
    this.firstByte.merge(other.firstByte)
    this.total.merge(other.total)
  }

  write(writer: ByteWriter, isSketch: boolean): void {
    this.firstByte.write(writer, isSketch)
    this.total.write(writer, isSketch)
  }
}

/** Requests of one cell. */
export class UsageCell {
  requests = 0
  /** GET and POST requests answered with success or `304`. */
  delivered = 0
  /** Requests that ended with an exception. */
  errors = 0
  bytes = 0
  /** Times of the cell, or of the whole row if its cells share their times. */
  readonly times: RequestTimes
  readonly visitors: VisitorCount

  constructor(times = new RequestTimes(), visitors = new VisitorCount(precision)) {
    this.times = times
    this.visitors = visitors
  }

  /** Reads a cell. `common`: times of the row, if its cells share their times. */
  static read(reader: BlockByteReader, isSketch: boolean, common: RequestTimes | undefined): UsageCell {
    const [requests, undelivered] = [reader.integer(), reader.integer()]
    const [errors, bytes] = [reader.integer(), reader.integer()]
    const times = common ?? RequestTimes.read(reader, isSketch)
    const cell = new UsageCell(times, VisitorCount.read(reader, precision))
    return Object.assign(cell, { requests, delivered: requests - undelivered, errors, bytes })
  }

  write(writer: ByteWriter): void {
    writer.integer(this.requests)
    writer.integer(this.requests - this.delivered)
    writer.integer(this.errors)
    writer.integer(this.bytes)
  }
}

/** Requests of one class. */
export interface ClassCount {
  requests: number
  /** See `UsageCell.delivered`. */
  delivered: number
}

/** The requests of one service, day and layer, or of another key of `usageScopes`. */
export class UsageRow {
  readonly cells: (UsageCell | undefined)[] = Array(cellCount)
  readonly classes = new Map<UsageClass, ClassCount>()
  /** Requests of signed-in users; the others are anonymous. */
  named = 0
  /** Time of the last request, in seconds since the start of the day. */
  lastUse = 0
  /** Label of the layer's owner at the newest request; 0: not known. */
  ownerId = 0
  /** For layers only. */
  counter: Record<AccessMethod, CounterUse> | undefined
  /**
   * Times of all cells together, if they are not separated; only layers and whole services have times by
   * cell.
   */
  readonly #commonTimes: RequestTimes | undefined
  /** For closed days: numbers of visitors that were counted in several cells. */
  readonly #overlaps = new Map<CellSet, number>()

  constructor(options: { hasCommonTimes?: boolean } = {}) {
    this.#commonTimes = options.hasCommonTimes === true ? new RequestTimes() : undefined
  }

  /** Decodes the result of `encode`. */
  static decode(bytes: Uint8Array): UsageRow {
    const reader = new BlockByteReader(bytes)
    const form = reader.byte()
    const isSketch = (form & formSketch) !== 0
    const row = new UsageRow({ hasCommonTimes: (form & formCommonTimes) !== 0 })
    row.#commonTimes?.merge(RequestTimes.read(reader, isSketch))
    row.named = reader.integer()
    row.lastUse = reader.integer()
    row.ownerId = reader.integer()
    row.#readClasses(reader)
    const present = reader.byte()
    for (let at = 0; at < cellCount; at += 1)
      if ((present & (1 << at)) !== 0) row.cells[at] = UsageCell.read(reader, isSketch, row.#commonTimes)
    for (const [at, name] of cellSetNames.entries())
      if ((present & (16 << at)) !== 0) row.#overlaps.set(name, reader.integer())
    if ((form & formCounter) !== 0)
      row.counter = { regular: CounterUse.read(reader), machine: CounterUse.read(reader) }
    return row
  }

  get hasCommonTimes(): boolean {
    return this.#commonTimes !== undefined
  }

  get requests(): number {
    return this.cells.reduce((sum, cell) => sum + (cell?.requests ?? 0), 0)
  }

  cell(at: number): UsageCell {
    const known = this.cells[at]
    if (known !== undefined) return known
    const cell = new UsageCell(this.#commonTimes)
    this.cells[at] = cell
    return cell
  }

  classCount(name: UsageClass): ClassCount {
    let count = this.classes.get(name)
    if (count === undefined) {
      count = { requests: 0, delivered: 0 }
      this.classes.set(name, count)
    }
    return count
  }

  /** Returns the number of distinct visitors of the day. */
  visitors(set: CellSet): number {
    const counts = cellSets[set].flatMap((at) => this.cells[at]?.visitors ?? [])
    const sum = counts.reduce((all, one) => all + one.count, 0)
    return Math.max(0, sum - (this.#overlaps.get(set) ?? 0) - VisitorCount.overlap(counts, precision))
  }

  counterTotals(method: AccessMethod): CounterTotals | undefined {
    return this.counter?.[method].totals()
  }

  /** Adds the requests of another row of the same day and key. */
  merge(other: UsageRow): void {
    if (other.ownerId !== 0 && (this.ownerId === 0 || other.lastUse >= this.lastUse))
      this.ownerId = other.ownerId
    this.lastUse = Math.max(this.lastUse, other.lastUse)
    this.named += other.named
    for (const [name, { requests, delivered }] of other.classes) {
      const count = this.classCount(name)
      count.requests += requests
      count.delivered += delivered
    }
    for (const [at, cell] of other.cells.entries()) if (cell !== undefined) this.#mergeCell(at, cell)
    if (other.#commonTimes !== undefined) this.#commonTimes?.merge(other.#commonTimes)
    for (const [set, overlap] of other.#overlaps) this.#addOverlap(set, overlap)
    if (other.counter === undefined) return
    this.counter ??= { regular: new CounterUse(), machine: new CounterUse() }
    for (const method of accessMethods) this.counter[method].merge(other.counter[method])
  }

  /** Replaces data that distinguish visitors by their number. */
  close(): void {
    for (const set of cellSetNames) {
      const counts = cellSets[set].flatMap((at) => this.cells[at]?.visitors ?? [])
      this.#addOverlap(set, VisitorCount.overlap(counts, precision))
    }
    for (const cell of this.cells) cell?.visitors.close()
    for (const method of accessMethods) this.counter?.[method].close()
  }

  /**
   * Returns the visitors that rows of several services share, as a row without requests: the visitors of all
   * services are the sum of their rows less this one. Undefined if there are none. The rows must be open.
   */
  static shared(rows: readonly UsageRow[]): UsageRow | undefined {
    const shared = new UsageRow()
    let isEmpty = true
    for (const set of cellSetNames) {
      const union = new UsageRow()
      for (const row of rows) union.mergeVisitors(row)
      const common = rows.reduce((sum, row) => sum + row.visitors(set), 0) - union.visitors(set)
      shared.#addOverlap(set, common)
      isEmpty &&= common <= 0
    }
    return isEmpty ? undefined : shared
  }

  /** Returns the number of visitors of a row that `shared` returned. */
  sharedVisitors(set: CellSet): number {
    return this.#overlaps.get(set) ?? 0
  }

  mergeVisitors(other: UsageRow): void {
    for (const [at, cell] of other.cells.entries())
      if (cell !== undefined) this.cell(at).visitors.merge(cell.visitors)
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(256)
    const isSketch = this.requests > maxSingleTimes
    const hasCounter = this.counter !== undefined
    const hasCommonTimes = this.#commonTimes !== undefined
    writer.byte(
      formVersion |
        (isSketch ? formSketch : 0) |
        (hasCounter ? formCounter : 0) |
        (hasCommonTimes ? formCommonTimes : 0),
    )
    this.#commonTimes?.write(writer, isSketch)
    writer.integer(this.named)
    writer.integer(this.lastUse)
    writer.integer(this.ownerId)
    this.#writeClasses(writer)
    let present = 0
    for (const [at, cell] of this.cells.entries()) if (cell !== undefined) present |= 1 << at
    for (const [at, name] of cellSetNames.entries()) if (this.#overlaps.has(name)) present |= 16 << at
    writer.byte(present)
    for (const cell of this.cells) {
      cell?.write(writer)
      if (!hasCommonTimes) cell?.times.write(writer, isSketch)
      cell?.visitors.write(writer)
    }
    for (const name of cellSetNames) {
      const overlap = this.#overlaps.get(name)
      if (overlap !== undefined) writer.integer(overlap)
    }
    for (const method of accessMethods) this.counter?.[method].write(writer)
    return writer.finish()
  }

  #mergeCell(at: number, other: UsageCell): void {
    const cell = this.cell(at)
    cell.requests += other.requests
    cell.delivered += other.delivered
    cell.errors += other.errors
    cell.bytes += other.bytes
    cell.visitors.merge(other.visitors)
    if (this.#commonTimes === undefined) cell.times.merge(other.times)
  }

  #addOverlap(set: CellSet, overlap: number): void {
    if (overlap > 0) this.#overlaps.set(set, (this.#overlaps.get(set) ?? 0) + overlap)
  }

  #writeClasses(writer: ByteWriter): void {
    let present = 0
    for (const [at, name] of usageClasses.entries()) if (this.classes.has(name)) present |= 1 << at
    writer.integer(present)
    for (const name of usageClasses) {
      const count = this.classes.get(name)
      if (count === undefined) continue
      writer.integer(count.requests)
      writer.integer(count.requests - count.delivered)
    }
  }

  #readClasses(reader: BlockByteReader): void {
    const present = reader.integer()
    for (const [at, name] of usageClasses.entries()) {
      if ((present & (1 << at)) === 0) continue
      const requests = reader.integer()
      this.classes.set(name, { requests, delivered: requests - reader.integer() })
    }
  }
}
