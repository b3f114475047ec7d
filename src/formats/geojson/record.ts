import { GeometryError } from '../../geo/wkb.ts'
import { RowError } from '../row-error.ts'
import type { JsonScanner } from './json-scanner.ts'

/** Takes in records (features or bare geometries) one by one. */
export interface RecordSink {
  /** Takes in the feature at the scanner and leaves the scanner behind it; throws `RowError` to reject it. */
  takeFeature(): void
  /** As `takeFeature`; the record may also be a bare geometry. */
  takeObject(): void
  /** Keeps what was taken in. */
  commit(row: number): void
  /** Gives up what was taken in since the last `commit`. */
  undo(): void
  /** Records a reject whose text is `bytes[start, end)` of the scanner, whether or not that is JSON. */
  reject(row: number, error: Error, start: number, end: number): void
  /** True when what is kept should be handed on. */
  readonly isFull: boolean
}

/** True for what makes a record a reject while reading goes on. */
export function isRowError(error: unknown): error is Error {
  return error instanceof RowError || error instanceof GeometryError
}

/**
 * Takes in the JSON value at the scanner as one record; a value that is no loadable feature becomes a reject. What
 * is no JSON at all, or goes on behind the bytes at hand, is thrown on with nothing kept.
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
