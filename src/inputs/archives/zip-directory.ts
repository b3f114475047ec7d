import type { FileHandle } from 'node:fs/promises'
import type { Entry, ZipFile } from 'yauzl'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import { refused, splitArchive } from './failures.ts'
import { FileWindow } from './file-window.ts'
import type { Unpacking } from './unpacking.ts'
import { zipNameDecoder } from './zip-names.ts'

/** An admitted entry and the location of its content. */
export interface ZipItem {
  /** Name for writing it. */
  name: string
  headerAt: number
  packedBytes: number
  sizeBytes: number
  isDeflated: boolean
  crc: number
}

const unixTypeMask = 0xf000
const unixTypes: Record<number, string> = {
  4096: 'it is a pipe',
  8192: 'it is a device',
  24576: 'it is a device',
  40960: 'it is a link',
  49152: 'it is a socket',
}
const deflated = 8
const directorySignature = 0x02014b50
export const localHeaderBytes = 30

function faultOf(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'it is encrypted: pack it without a password'
  if (!entry.canDecodeFileData()) {
    return `it uses compression method ${entry.compressionMethod}, which is not supported: use Deflate`
  }
  return unixTypes[(entry.externalFileAttributes >>> 16) & unixTypeMask]
}

/** Minimum byte range of an entry in the archive: its local header, its name and its content. */
interface Span {
  name: string
  from: number
  to: number
}

function spanOf(entry: Entry, name: string): Span {
  const from = entry.relativeOffsetOfLocalHeader
  return { name, from, to: from + localHeaderBytes + entry.fileNameLength + entry.compressedSize }
}

/** Entries that share bytes allow a small archive to expand without limit. */
function refuseOverlaps(spans: Span[], archive: string): void {
  spans.sort((a, b) => a.from - b.from)
  let end = 0
  for (const span of spans) {
    if (span.from < end) throw refused(archive, span.name, 'it shares its bytes with another entry')
    end = span.to
  }
}

class WindowReader extends RandomAccessReader {
  readonly #window: FileWindow

  constructor(file: FileHandle) {
    super()
    this.#window = new FileWindow(file)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const give = async (): Promise<void> => {
      const bytes = await this.#window.read(position, length)
      callback(null, bytes.copy(buffer, offset))
    }
    give().catch(callback)
  }
}

async function openDirectory(file: FileHandle, archive: string, sizeBytes: number): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(new WindowReader(file), sizeBytes, {
      autoClose: false,
      decodeStrings: false,
      strictFileNames: true,
    })
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('multi-disk')) throw splitArchive(archive)
    throw error
  }
}

/**
 * The entry count of zips with more than 65,535 entries without zip64 overflows (APPNOTE 4.4.21): no entry
 * must be omitted.
 */
async function refuseMiscount(zip: ZipFile, file: FileHandle): Promise<void> {
  const { readEntryCursor: end } = zip as unknown as { readEntryCursor: number }
  const next = await new FileWindow(file).read(end, 4)
  if (next.length === 4 && next.readUInt32LE(0) === directorySignature) {
    throw new Error(`it contains more than the ${zip.entryCount} entries in its header: pack it as zip64`)
  }
}

/** Checks every entry of the central directory before anything is written; returns those to write. */
export async function readZipDirectory(file: FileHandle, unpacking: Unpacking): Promise<ZipItem[]> {
  const zip = await openDirectory(file, unpacking.name, unpacking.archiveBytes)
  unpacking.checkCount(zip.entryCount)
  const items: ZipItem[] = []
  const spans: Span[] = []
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) {
    await unpacking.rest()
    entries.push(entry)
  }
  const decodeName = zipNameDecoder(entries)
  for (const entry of entries) {
    await unpacking.rest()
    const rawName = decodeName(entry)
    const isFolder = /[/\\]$/.test(rawName)
    const name = unpacking.admit(rawName, { isFolder, fault: faultOf(entry) })
    unpacking.expand(entry.uncompressedSize)
    spans.push(spanOf(entry, rawName))
    if (name === undefined) continue
    items.push({
      name,
      headerAt: entry.relativeOffsetOfLocalHeader,
      packedBytes: entry.compressedSize,
      sizeBytes: entry.uncompressedSize,
      isDeflated: entry.compressionMethod === deflated,
      crc: entry.crc32,
    })
  }
  await refuseMiscount(zip, file)
  refuseOverlaps(spans, unpacking.name)
  return items.sort((a, b) => a.headerAt - b.headerAt)
}
