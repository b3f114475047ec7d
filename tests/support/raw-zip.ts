import { crc32 } from 'node:zlib'

/** Uncompressed entry whose metadata may be wrong. */
export interface RawEntry {
  name: string | Uint8Array
  content: string | Uint8Array
  /** Values in the central directory, if they differ from the truth. */
  crc?: number
  sizeBytes?: number
  method?: number
  /** Number of the entry whose position this one claims. */
  placeOf?: number
}

function localHeader(name: Buffer, content: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50)
  header.writeUInt16LE(20, 4)
  header.writeUInt32LE(crc32(content), 14)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return header
}

function directoryHeader(entry: RawEntry, name: Buffer, content: Buffer, at: number): Buffer {
  const { crc = crc32(content), sizeBytes = content.length, method = 0 } = entry
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(20, 6)
  header.writeUInt16LE(method, 10)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(method === 0 ? sizeBytes : content.length, 20)
  header.writeUInt32LE(sizeBytes, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt32LE(at, 42)
  return header
}

function directoryEnd(count: number, sizeBytes: number, at: number, disk: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(disk, 4)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(sizeBytes, 12)
  end.writeUInt32LE(at, 16)
  return end
}

/** A zip archive put together byte by byte (APPNOTE 4.3), for what no writer of archives lets through. */
export function rawZip(entries: readonly RawEntry[], options: { disk?: number } = {}): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  const places: number[] = []
  let at = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name as Uint8Array)
    const content = Buffer.from(entry.content as Uint8Array)
    places.push(at)
    const place = entry.placeOf === undefined ? at : (places[entry.placeOf] ?? at)
    directory.push(directoryHeader(entry, name, content, place), name)
    const local = [localHeader(name, content), name, content]
    pieces.push(...local)
    for (const piece of local) at += piece.length
  }
  const directoryBytes = Buffer.concat(directory)
  const end = directoryEnd(entries.length, directoryBytes.length, at, options.disk ?? 0)
  return Buffer.concat([...pieces, directoryBytes, end])
}
