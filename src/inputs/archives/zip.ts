import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { ArchiveKind } from './archive-kind.ts'
import { FileWindow } from './file-window.ts'
import type { Unpacking } from './unpacking.ts'
import type { ZipItem } from './zip-directory.ts'
import { localHeaderBytes, readZipDirectory } from './zip-directory.ts'

const localSignature = 0x04034b50
/** Entries up to this size are read and inflated with one call. */
const smallBytes = 64 << 10

/** APPNOTE 4.3.7: the local header has lengths of its own. */
async function contentStart(window: FileWindow, item: ZipItem): Promise<number> {
  const header = await window.read(item.headerAt, localHeaderBytes)
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) {
    throw new Error(`the entry "${item.name}" is not where the archive says`)
  }
  return item.headerAt + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
}

function packedStream(file: FileHandle, item: ZipItem, start: number): AsyncIterable<Uint8Array> {
  const packed = file.createReadStream({ start, end: start + item.packedBytes - 1, autoClose: false })
  return item.isDeflated ? pipeline(packed, createInflateRaw(), () => undefined) : packed
}

/** Yields exactly the declared number of bytes, or throws. */
async function* readContent(
  file: FileHandle,
  window: FileWindow,
  item: ZipItem,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { sizeBytes, packedBytes, isDeflated } = item
  const start = await contentStart(window, item)
  let bytes = 0
  const count = (chunk: Uint8Array): Uint8Array => {
    bytes += chunk.length
    if (bytes > sizeBytes) throw new Error(`the entry "${item.name}" is larger than the archive says`)
    return chunk
  }
  if (Math.max(sizeBytes, packedBytes) <= smallBytes) {
    const packed = await window.read(start, packedBytes)
    yield count(isDeflated ? inflateRawSync(packed, { maxOutputLength: smallBytes }) : packed)
  } else {
    for await (const chunk of packedStream(file, item, start)) yield count(chunk)
  }
  if (bytes !== sizeBytes) throw new Error(`the entry "${item.name}" is smaller than the archive says`)
}

/** Unpacks a zip archive: checks its whole directory first, then every entry against its directory entry. */
async function unpackZip(path: string, unpacking: Unpacking): Promise<void> {
  const file = await openGuarded(path)
  try {
    const items = await readZipDirectory(file, unpacking)
    const window = new FileWindow(file)
    for (const item of items) await unpacking.write(item.name, readContent(file, window, item), item.crc)
  } finally {
    await file.close()
  }
}

export const zip: ArchiveKind = {
  name: 'zip',
  endings: ['.zip'],
  mediaTypes: ['application/zip', 'application/x-zip-compressed'],
  beginning: [0x50, 0x4b, 3, 4],
  unpack: unpackZip,
}

/** A zip archive of KML; icons and other images in it are ignored. */
export const kmz: ArchiveKind = {
  name: 'kmz',
  endings: ['.kmz'],
  mediaTypes: ['application/vnd.google-earth.kmz'],
  unpack: unpackZip,
  isSelected: (name) => /\.kml$/i.test(name),
}
