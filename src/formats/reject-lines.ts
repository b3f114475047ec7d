import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A rejected row as it is kept, one JSON object a line. */
export interface RejectLine {
  /** Number in the source, from 1. */
  row: number
  /** By what it was rejected; older files do not tell. */
  code?: string
  field?: string
  value?: string
  /** The row as it stands in the source, where its values could not be told apart. */
  text?: string
  reason: string
  /** Values as they stood in the source; dates and times are ISO 8601 text, what is too long or no JSON is text too. */
  properties?: Record<string, unknown>
  /** The geometry as WKB, in base64. */
  wkb?: string
  /** The same as GeoJSON, in older files. */
  geometry?: object | null
}

/** Stands in the place of a row that was mended and loaded since. */
export interface MendedLine {
  row: number
  /** When it was sent; ISO 8601. */
  mendedAt: string
}

const newline = 0x0a
const rowNumber = /^\{"row":(\d{1,15})[,}]/

/** Whether a load has left rejected rows. */
export async function hasRejects(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** The lines of a file as bytes, without their ends. Unlike `readline` it takes no other character for the end of a line. */
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

/** Which row a line tells of. */
export function rowOfLine(line: Buffer): number {
  const found = rowNumber.exec(line.toString('latin1', 0, 32))
  return found === null ? (JSON.parse(line.toString('utf8')) as RejectLine).row : Number(found[1])
}

/** Rows that are rejected still. */
export async function* readRejectLines(path: string): AsyncGenerator<RejectLine> {
  if (!(await hasRejects(path))) return
  for await (const bytes of readLineBytes(path)) {
    if (bytes.length === 0) continue
    const line = JSON.parse(bytes.toString('utf8')) as RejectLine | MendedLine
    if (!('mendedAt' in line)) yield line
  }
}
