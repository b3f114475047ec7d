import { workMeter, workOwner } from '../../concurrency/acting.ts'

/** Number of rows written to a file per second. */
const rowsPerSecond = 50_000
/** Estimated duration for a file with an unknown number of rows, such as a raster. */
const usualSeconds = 10

/**
 * Counts a large file as heavy work of the caller when the file is requested: a job makes the file later, possibly on
 * another server.
 */
export function chargeFile(rows: number | undefined): void {
  const owner = workOwner()
  if (owner !== undefined) workMeter()?.add(owner, rows === undefined ? usualSeconds : rows / rowsPerSecond)
}
