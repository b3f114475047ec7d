import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryShape } from '../../geo/geometry-shape.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { RowError } from '../reject-writer.ts'
import type { TextToken, XmlScanner } from './xml-scanner.ts'

/**
 * Receives rows one by one. Fields are numbered: first the fields of the format, then those that files name.
 */
export interface RowSink {
  /** Builder and shape of the row's geometry. */
  readonly builder: GeometryBuilder
  readonly shape: GeometryShape
  /** Returns the field with the name in the text; -1 if it is ignored. */
  field(name: TextToken): number
  /** Sets the value of a field; the last one of a row counts. */
  value(field: number, text: TextToken): void
  /** Called at the end of the row's geometry, with its type in the file. */
  geometry(typeCode: number, hasZ: boolean): void
  commit(row: number): void
  /** Discards the values since the last `commit`. */
  undo(): void
  /** Records a reject; `readAgain` reads the same row into another sink, to show its values. */
  reject(row: number, error: Error, readAgain: (sink: RowSink) => void): void
  readonly isFull: boolean
}

/** Reads the current element to its end into a sink; throws `RowError` to reject it. */
export interface RowParser {
  parse(sink: RowSink): void
}

/** Reads the current element as one row; if it cannot be loaded, it is rejected. */
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
