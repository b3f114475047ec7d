import { createHash } from 'node:crypto'
import type { ReadStream } from 'node:fs'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ArrayElements } from './array-elements.ts'
import { DumpError } from './dump-error.ts'

/** One object of the dump. */
export interface DumpRecord {
  /** In lower case and without its application: `metricvalue`. */
  model: string
  pk: string
  fields: Record<string, unknown>
}

export interface DumpReader extends AsyncIterable<DumpRecord> {
  /** Hexadecimal SHA-256 of the text; call it after the last object. */
  digest(): string
  /** Bytes of the file read so far. */
  bytesRead(): number
}

const application = 'monitoring.'
const maxElementBytes = 16 * 2 ** 20
const highWaterMark = 2 ** 20

/**
 * Reads the objects of the monitoring application from a JSON dump, which may be compressed by gzip. Skips
 * objects of other applications. Throws `DumpError` if the dump is invalid.
 */
export function readMonitoringDump(path: string): DumpReader {
  const hash = createHash('sha256')
  let file: ReadStream | undefined
  async function* records(): AsyncGenerator<DumpRecord> {
    const isCompressed = await startsLikeGzip(path)
    file = createReadStream(path, { highWaterMark })
    const text = isCompressed ? unpack(file) : file
    const elements = new ArrayElements(maxElementBytes)
    let index = 0
    try {
      for await (const chunk of text) {
        hash.update(chunk)
        for (const element of elements.push(chunk)) {
          index += 1
          const record = parseRecord(element, index)
          if (record !== undefined) yield record
        }
      }
    } catch (error) {
      throw isGzipError(error)
        ? new DumpError('The dump is compressed by gzip, but broken', { cause: error })
        : error
    } finally {
      file.destroy()
    }
    elements.finish()
  }
  return {
    [Symbol.asyncIterator]: records,
    digest: () => hash.digest('hex'),
    bytesRead: () => file?.bytesRead ?? 0,
  }
}

function unpack(file: Readable): Readable {
  // Its errors come out of the reading loop.
  return pipeline(file, createGunzip({ chunkSize: 2 ** 18 }), () => undefined)
}

async function startsLikeGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b
  } finally {
    await file.close()
  }
}

function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}

function parseRecord(element: Buffer, index: number): DumpRecord | undefined {
  const value = parseJson(element, index)
  const { model, pk, fields } = isRecord(value) ? value : {}
  if (typeof model !== 'string' || !isRecord(fields))
    throw new DumpError(`Element ${index} of the dump has no model and fields`)
  const name = model.toLowerCase()
  if (!name.startsWith(application)) return undefined
  if (typeof pk !== 'number' && typeof pk !== 'string')
    throw new DumpError(`Element ${index} of the dump (${name}) has no pk`)
  return { model: name.slice(application.length), pk: String(pk), fields }
}

function parseJson(element: Buffer, index: number): unknown {
  try {
    return JSON.parse(element.toString('utf8'))
  } catch (cause) {
    throw new DumpError(`Element ${index} of the dump is not JSON`, { cause })
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
