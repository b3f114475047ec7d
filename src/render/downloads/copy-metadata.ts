import { createReadStream, createWriteStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { escapeXml } from '../../core/text/escape.ts'
import { writeMetadataToHeader } from './metadata-in-flatgeobuf.ts'
import type { FileTerms } from './terms.ts'
import { namedTerms } from './terms.ts'

/** Formats that GDAL writes without layer metadata. */
export type MetadataFormat = 'fgb' | 'kml'

/** A file to copy with added layer metadata. Plain data. */
export interface MetadataCopyRequest {
  from: string
  path: string
  as: MetadataFormat
  terms: FileTerms
}

/** Replacement of the first bytes of a file. */
interface Beginning {
  text: Uint8Array
  /** Number of bytes of the original that it replaces. */
  instead: number
}

/** Maximum offset of the document element. */
const maxKmlHead = 64 << 10
/** Magic bytes of FlatGeobuf, and the size of its header. */
const magicBytes = 8
const fgbHead = magicBytes + 4

/** Copies the file with another header. */
export async function copyWithMetadata(
  { from, path, as, terms }: MetadataCopyRequest,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(from)
  try {
    const { text, instead } =
      as === 'fgb' ? await flatGeobufBeginning(file, terms) : await kmlBeginning(file, terms)
    const target = createWriteStream(path, { mode: 0o600 })
    target.write(text)
    await pipeline(createReadStream(from, { start: instead }), target, { signal })
  } finally {
    await file.close()
  }
}

async function flatGeobufBeginning(file: FileHandle, terms: FileTerms): Promise<Beginning> {
  const head = await bytesOf(file, 0, fgbHead)
  const size = head.readUInt32LE(magicBytes)
  const header = writeMetadataToHeader(await bytesOf(file, fgbHead, size), terms)
  head.writeUInt32LE(header.length, magicBytes)
  return { text: Buffer.concat([head, header]), instead: fgbHead + size }
}

/** Returns the description of the document, after its name if there is one (OGC 07-147r2, section 9.7). */
async function kmlBeginning(file: FileHandle, terms: FileTerms): Promise<Beginning> {
  // Preserves the bytes, even if the cut splits a character.
  const head = (await bytesOf(file, 0, maxKmlHead)).toString('latin1')
  const [opening] = /<Document\b[^>]*>(?:\s*<name>[^<]*<\/name>)?/.exec(head) ?? ['']
  const end = head.indexOf(opening) + opening.length
  const lines = [terms.title, terms.abstract, ...namedTerms(terms).map((term) => term.join(': '))]
  const reported = lines.filter((line) => line !== undefined && line !== '').join('\n')
  const description = opening === '' ? '' : `<description>${escapeXml(reported)}</description>`
  return {
    text: Buffer.concat([Buffer.from(head.slice(0, end), 'latin1'), Buffer.from(description)]),
    instead: end,
  }
}

async function bytesOf(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
