import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryShape } from '../../geo/geometry-shape.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { RowError } from '../row-error.ts'
import type { TextToken, XmlScanner } from './xml-scanner.ts'

/**
 * Takes in rows one by one. Fields are numbered: first those that the format knows, then those that files name.
 */
export interface RowSink {
  /** Where the row's geometry is written, in which shape. */
  readonly builder: GeometryBuilder
  readonly shape: GeometryShape
  /** The field of the name that is the text; -1 when it is of no interest. */
  field(name: TextToken): number
  /** The value of a field; the last one of a row counts. */
  value(field: number, text: TextToken): void
  /** The row's geometry was ended, as what it was in the file. */
  geometry(typeCode: number, hasZ: boolean): void
  commit(row: number): void
  /** Gives up what was taken in since the last `commit`. */
  undo(): void
  /** Records a reject; `parser` reads the same row into a sink of its own, to show what it held. */
  reject(row: number, error: Error, readAgain: (sink: RowSink) => void): void
  readonly isFull: boolean
}

/** Reads the element opened last to its end into a sink; throws `RowError` to reject it. */
export interface RowParser {
  parse(sink: RowSink): void
}

/** Takes in the element opened last as one row; where it cannot be loaded it becomes a reject. */
export function takeRow(scanner: XmlScanner, parser: RowParser, sink: RowSink, row: number): void {
  const { tagStart, tagDepth } = scanner
  try {
    parser.parse(sink)
  } catch (error) {
    sink.undo()
    if (!(error instanceof RowError || error instanceof GeometryError)) throw error
    const reopen = (): void => {
      scanner.reset(tagStart, tagDepth)
      scanner.child()
    }
    reopen()
    scanner.skip()
    const behind = scanner.at
    sink.reject(row, error, (other) => {
      reopen()
      parser.parse(other)
    })
    scanner.reset(behind, tagDepth)
    return
  }
  sink.commit(row)
}
