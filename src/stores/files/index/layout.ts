import type { FormatMessage, LayerDescription } from '../../../formats/worker.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { FileStamp } from './stamp.ts'

/**
 * Version of layout and parsing. Increment it when either changes: indexes with an older version are rebuilt.
 */
export const indexVersion = 1

/** An index starts with these letters, then offset and length of its header, as 64-bit floats. */
export const indexMagic = 'terraidx'
export const indexHeadBytes = 24

/** Rows per group; all data of a group are stored together. */
export const groupRows = 1 << 18
/** Boxes per block, adjacent along a Hilbert curve over their group. */
export const blockBoxes = 256
/** Size of a box: four 32-bit floats rounded outwards. */
export const boxBytes = 16
/** Size of a block entry: a box and the position of its row. */
export const indexEntryBytes = boxBytes + 4
export const placeBytes = 8
export const rowNumberBytes = 4
export const timeBytes = 8

/** Only readable rows count; the position of a row is its rank among them. */
export interface IndexRowGroup {
  /** Offset of the group in the index. */
  at: number
  rows: number
  /** Number of rows with an envelope. */
  boxes: number
  /** Numbers of the first and last row in the source. */
  firstRow: number
  lastRow: number
}

/** Unreadable rows of the file. */
export interface LeftOut {
  count: number
  /** The first few. */
  first: { row: number; reason: string }[]
}

/** Header of an index, readable without the rest. */
export interface IndexHeader {
  version: number
  stamp: FileStamp
  /** First bytes of each file, by extension. */
  heads: Record<string, string>
  /** Description by the format, with the number of readable rows. */
  layer: LayerDescription
  rowCount: number
  /** Envelope of the geometries as read. */
  bounds?: Envelope
  /** Number of rows with a null geometry. */
  withoutGeometry: number
  /** Number of rows with an empty geometry. */
  emptyGeometries: number
  leftOut: LeftOut
  /** Attributes of type date or timestamp, whose values are stored in the groups. */
  times: string[]
  groups: IndexRowGroup[]
  /** Offset of the block envelopes, group by group. */
  blocksAt: number
}

/** Offsets of the parts of a group. */
export interface GroupLayout {
  places: number
  rowNumbers: number
  /**
   * Offsets of the time columns, one for each of `times`: microseconds since 1970 as 64-bit floats, NaN for
   * null.
   */
  times: number[]
  /** Offset of a bitmap of rows without geometry. */
  nulls: number
  /** Offset of the blocks: boxes, then positions relative to the first row of the group. */
  entries: number
  end: number
}

export function layoutOf({ at, rows, boxes }: IndexRowGroup, timeColumns: number): GroupLayout {
  const rowNumbers = at + rows * placeBytes
  const firstTime = rowNumbers + rows * rowNumberBytes
  const times = Array.from({ length: timeColumns }, (_, index) => firstTime + index * rows * timeBytes)
  const nulls = firstTime + timeColumns * rows * timeBytes
  const entries = nulls + nullBytes(rows)
  return { places: at, rowNumbers, times, nulls, entries, end: entries + boxes * indexEntryBytes }
}

export function nullBytes(rows: number): number {
  return Math.ceil(rows / 32) * 4
}

export function blockCount(boxes: number): number {
  return Math.ceil(boxes / blockBoxes)
}

/** Returns a message about rows that were skipped. */
export function leftOutMessage({ count, first }: LeftOut): FormatMessage | undefined {
  if (count === 0) return undefined
  const reasons = first.slice(0, 3).map(({ row, reason }) => `row ${row}: ${reason}`)
  const more = count > reasons.length ? `; and ${count - reasons.length} more` : ''
  const message = `${count} rows cannot be read and are not served: ${reasons.join('; ')}${more}`
  return { level: 'warning', code: 'rows-left-out', message }
}
