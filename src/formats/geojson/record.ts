import { GeometryError } from '../../geo/wkb.ts'
import { RowError } from '../reject-writer.ts'
import type { JsonScanner } from './json-scanner.ts'

/** Receives records (features or bare geometries) one by one. */
export interface RecordSink {
  /** Reads the feature at the scanner and leaves the scanner after it; throws `RowError` to reject it. */
  takeFeature(): void
  /** Like `takeFeature`; the record may also be a bare geometry. */
  takeObject(): void
  /** Accepts the values since the last `commit` as a row. */
  commit(row: number): void
  /** Discards the values since the last `commit`. */
  undo(): void
  /** Records a reject whose text is `bytes[start, end)` of the scanner, even if that is not valid JSON. */
  reject(row: number, error: Error, start: number, end: number): void
  /** True if the accumulated rows should be passed on. */
  readonly isFull: boolean
}

/** True for an error that rejects a record while reading continues. */
export function isRowError(error: unknown): error is Error {
  return error instanceof RowError || error instanceof GeometryError
}

/**
 * Reads the JSON value at the scanner as one record; a value that is not a loadable feature becomes a reject.
 * Syntax errors and `outOfJsonBytes` are rethrown after discarding the record.
 */
export function takeRecord(scanner: JsonScanner, sink: RecordSink, row: number, isObject: boolean): void {
  const start = scanner.at
  try {
    if (isObject) sink.takeObject()
    else sink.takeFeature()
  } catch (error) {
    sink.undo()
    scanner.at = start
    if (!isRowError(error)) throw error
    scanner.value()
    sink.reject(row, error, start, scanner.at)
    return
  }
  sink.commit(row)
}
