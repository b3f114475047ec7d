import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A rejected row as stored: one JSON object per line. */
export interface RejectLine {
  /** Row number in the source, from 1. */
  row: number
  /** Code of the rejection; absent in older files. */
  code?: string
  field?: string
  value?: string
  /** The row as written in the source, if its values could not be separated. */
  text?: string
  reason: string
  /**
   * Values as in the source; dates and times are ISO 8601 text; values that are too long or not representable
   * in JSON are text too.
   */
  properties?: Record<string, unknown>
  /** The geometry as WKB, in base64. */
  wkb?: string
  /** Geometry as GeoJSON, in older files. */
  geometry?: object | null
}

/** Replaces the line of a row that was corrected and loaded since. */
export interface CorrectedLine {
  row: number
  /** Time of the upload, ISO 8601. */
  mendedAt: string
}

const newline = 0x0a
const rowNumber = /^\{"row":(\d{1,15})[,}]/

/** True if a load has written rejected rows. */
export async function hasRejects(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/**
 * Yields the lines of a file as bytes, without line ends. Unlike `readline`, treats no other characters as
 * line ends.
 */
export async function* readLineBytes(path: string): AsyncGenerator<Buffer> {
  const input = createReadStream(path)
  const waiting: Buffer[] = []
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        waiting.push(chunk.subarray(from, at))
        if (waiting.length === 1) yield waiting[0] as Buffer
        else yield Buffer.concat(waiting)
        waiting.length = 0
        from = at + 1
      }
      if (from < chunk.length) waiting.push(chunk.subarray(from))
    }
    if (waiting.length > 0) yield Buffer.concat(waiting)
  } finally {
    input.destroy()
  }
}

/** Returns the row number of a line. */
export function rowOfLine(line: Buffer): number {
  const found = rowNumber.exec(line.toString('latin1', 0, 32))
  return found === null ? (JSON.parse(line.toString('utf8')) as RejectLine).row : Number(found[1])
}

/** Yields the rows that are still rejected. */
export async function* readRejectLines(path: string): AsyncGenerator<RejectLine> {
  if (!(await hasRejects(path))) return
  for await (const bytes of readLineBytes(path)) {
    if (bytes.length === 0) continue
    const line = JSON.parse(bytes.toString('utf8')) as RejectLine | CorrectedLine
    if (!('mendedAt' in line)) yield line
  }
}
