import { workMeter, workOwner } from '../../concurrency/acting.ts'

/** Rows that are written to a file in a second. */
const rowsPerSecond = 50_000
/** Estimate for a file of unknown rows, such as a raster. */
const usualSeconds = 10

/**
 * Counts a large file as heavy work of the caller when the file is requested: a job makes the file later, possibly on
 * another server.
 */
export function chargeFile(rows: number | undefined): void {
  const owner = workOwner()
  if (owner !== undefined) workMeter()?.add(owner, rows === undefined ? usualSeconds : rows / rowsPerSecond)
}
