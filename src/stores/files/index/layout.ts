import type { LayerDescription, Message } from '../../../formats/format.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { FileStamp } from './stamp.ts'

/** Another layout or another reading of a format makes another number: indexes with an older one are made anew. */
export const indexVersion = 1

/** An index starts with these letters, then the place and length of its header, as 64-bit floats. */
export const magic = 'terraidx'
export const headBytes = 24

/** Rows of a group; what is told of them stands together. */
export const groupRows = 1 << 18
/** Boxes of a block, neighbours along a Hilbert curve over their group. */
export const blockBoxes = 256
/** Bytes of a box: four 32-bit floats rounded outwards. */
export const boxBytes = 16
/** Bytes of a box in a block: with the position of its row. */
export const entryBytes = boxBytes + 4
export const placeBytes = 8
export const rowNumberBytes = 4
export const timeBytes = 8

/** A row that can be read counts; its position is its rank among those. */
export interface RowGroup {
  /** Where the group starts in the index. */
  at: number
  rows: number
  /** Rows with an envelope. */
  boxes: number
  /** Numbers of the first and last row in the source. */
  firstRow: number
  lastRow: number
}

/** Rows of the file that cannot be read. */
export interface LeftOut {
  count: number
  /** The first few. */
  first: { row: number; reason: string }[]
}

/** What an index tells of its file without being read further. */
export interface IndexHeader {
  version: number
  stamp: FileStamp
  /** The first bytes of each file that is read, by extension. */
  heads: Record<string, string>
  /** As the format describes it, with the number of rows that can be read. */
  layer: LayerDescription
  rowCount: number
  /** Of the geometries as they were read. */
  bounds?: Envelope
  /** Rows whose geometry is null. */
  withoutGeometry: number
  /** Rows whose geometry has no point. */
  emptyGeometries: number
  leftOut: LeftOut
  /** Attributes of type date or timestamp, whose values stand in the groups. */
  times: string[]
  groups: RowGroup[]
  /** Where the envelopes of the blocks start, group by group. */
  blocksAt: number
}

/** Where the parts of a group start. */
export interface GroupLayout {
  places: number
  rowNumbers: number
  /** Microseconds since 1970 as 64-bit floats, NaN for null; one column for each of `times`. */
  times: number[]
  /** A bit for each row without geometry. */
  nulls: number
  /** Blocks: boxes, then positions counted from the group's first row. */
  entries: number
  end: number
}

export function layoutOf({ at, rows, boxes }: RowGroup, timeColumns: number): GroupLayout {
  const rowNumbers = at + rows * placeBytes
  const firstTime = rowNumbers + rows * rowNumberBytes
  const times = Array.from({ length: timeColumns }, (_, index) => firstTime + index * rows * timeBytes)
  const nulls = firstTime + timeColumns * rows * timeBytes
  const entries = nulls + nullBytes(rows)
  return { places: at, rowNumbers, times, nulls, entries, end: entries + boxes * entryBytes }
}

export function nullBytes(rows: number): number {
  return Math.ceil(rows / 32) * 4
}

export function blockCount(boxes: number): number {
  return Math.ceil(boxes / blockBoxes)
}

/** What a reader of the layer should know about rows that were left out. */
export function leftOutMessage({ count, first }: LeftOut): Message | undefined {
  if (count === 0) return undefined
  const reasons = first.slice(0, 3).map(({ row, reason }) => `row ${row}: ${reason}`)
  const more = count > reasons.length ? `; and ${count - reasons.length} more` : ''
  const message = `${count} rows cannot be read and are not served: ${reasons.join('; ')}${more}`
  return { level: 'warning', code: 'rows-left-out', message }
}
