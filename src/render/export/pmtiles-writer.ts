import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { ArchivedTile, ArchiveFacts, ArchiveWriter } from './archive.ts'
import { centerOf, vectorLayers } from './archive.ts'
import type { Entries } from './pmtiles-directory.ts'
import { archiveHeadBytes, pmtilesHeaderBytes, writeDirectories } from './pmtiles-directory.ts'
import { tileIdOf } from './tile-ids.ts'

const gzip = 2
const vectorTiles = 1
/**
 * Maximum size of deduplicated tiles: repeated tiles, such as the inside of a polygon or the sea, are small.
 */
const maxAlikeBytes = 4096
const rememberedAlike = 20_000

/**
 * Writes PMTiles 3: reserves the head of 16 KiB, then writes tiles in the order of arrival, leaf directories
 * and metadata. Equal tiles are stored once.
 */
export class PmtilesWriter implements ArchiveWriter {
  readonly #path: string
  readonly #file: number
  readonly #entries = new GrowingEntries()
  readonly #alike = new Map<string, { offset: number; length: number }>()
  #dataBytes = 0
  #addressed = 0
  #contents = 0

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'wx', 0o640)
  }

  add(tiles: readonly ArchivedTile[]): number {
    for (const { tile, bytes } of tiles) {
      this.#addressed += 1
      this.#entries.add(tileIdOf(tile), this.#place(bytes))
    }
    return archiveHeadBytes + this.#dataBytes
  }

  finish(facts: ArchiveFacts): number {
    const { root, leaves } = writeDirectories(this.#entries)
    const leafOffset = archiveHeadBytes + this.#dataBytes
    const leafBytes = leaves.reduce((sum, { length }) => sum + length, 0)
    const metadata = gzipSync(JSON.stringify(metadataOf(facts)))
    let offset = leafOffset
    for (const part of [...leaves, metadata]) offset += this.#write(part, offset)
    const header = this.#header(facts, {
      root: [pmtilesHeaderBytes, root.length],
      metadata: [leafOffset + leafBytes, metadata.length],
      leaves: [leafOffset, leafBytes],
    })
    this.#write(root, pmtilesHeaderBytes)
    this.#write(header, 0)
    closeSync(this.#file)
    return offset
  }

  discard(): void {
    try {
      closeSync(this.#file)
    } catch {
      // The file was already closed.
    }
    rmSync(this.#path, { force: true })
  }

  /** Returns the position of the bytes; writes them if they are new. */
  #place(bytes: Uint8Array): { offset: number; length: number } {
    const digest =
      bytes.length > maxAlikeBytes ? undefined : createHash('sha1').update(bytes).digest('base64')
    const known = digest === undefined ? undefined : this.#alike.get(digest)
    const entry = known ?? this.#append(bytes)
    if (digest === undefined) return entry
    // Repeated tiles stay in the cache longest.
    this.#alike.delete(digest)
    this.#alike.set(digest, entry)
    for (const first of this.#alike.keys()) if (this.#alike.size > rememberedAlike) this.#alike.delete(first)
    return entry
  }

  #append(bytes: Uint8Array): { offset: number; length: number } {
    const entry = { offset: this.#dataBytes, length: bytes.length }
    this.#write(bytes, archiveHeadBytes + this.#dataBytes)
    this.#dataBytes += bytes.length
    this.#contents += 1
    return entry
  }

  #write(bytes: Uint8Array, offset: number): number {
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#file, bytes, at, bytes.length - at, offset + at)
    return bytes.length
  }

  #header(
    facts: ArchiveFacts,
    at: Record<'root' | 'metadata' | 'leaves', [offset: number, length: number]>,
  ): Uint8Array {
    const header = Buffer.alloc(pmtilesHeaderBytes)
    header.write('PMTiles', 0, 'latin1')
    header[7] = 3
    const numbers = [
      ...at.root,
      ...at.metadata,
      ...at.leaves,
      archiveHeadBytes,
      this.#dataBytes,
      this.#addressed,
      this.#entries.count,
      this.#contents,
    ]
    numbers.forEach((number, index) => {
      header.writeBigUInt64LE(BigInt(number), 8 + 8 * index)
    })
    const [longitude, latitude, zoom] = centerOf(facts)
    header.set([1, gzip, gzip, vectorTiles, facts.minZoom, facts.maxZoom], 96)
    const degrees = (value: number, offset: number) => header.writeInt32LE(Math.round(value * 1e7), offset)
    facts.bounds.forEach((value, index) => {
      degrees(value, 102 + 4 * index)
    })
    header[118] = zoom
    degrees(longitude, 119)
    degrees(latitude, 123)
    return header
  }
}

function metadataOf(facts: ArchiveFacts): object {
  const { name, description, version } = facts
  return { name, description, type: 'overlay', version: String(version), vector_layers: vectorLayers(facts) }
}

/** Entries as parallel numeric arrays; adjacent tiles with equal bytes form one run. */
class GrowingEntries implements Entries {
  count = 0
  #ids = new Float64Array(1024)
  #offsets = new Float64Array(1024)
  #lengths = new Uint32Array(1024)
  #runs = new Uint32Array(1024)

  add(id: number, { offset, length }: { offset: number; length: number }): void {
    const last = this.count - 1
    const isNext = last >= 0 && this.id(last) + this.run(last) === id
    if (isNext && this.offset(last) === offset) {
      this.#runs[last] = this.run(last) + 1
      return
    }
    if (this.count === this.#ids.length) this.#grow()
    this.#ids[this.count] = id
    this.#offsets[this.count] = offset
    this.#lengths[this.count] = length
    this.#runs[this.count] = 1
    this.count += 1
  }

  id(at: number): number {
    return this.#ids[at] ?? 0
  }

  run(at: number): number {
    return this.#runs[at] ?? 0
  }

  length(at: number): number {
    return this.#lengths[at] ?? 0
  }

  offset(at: number): number {
    return this.#offsets[at] ?? 0
  }

  #grow(): void {
    const size = this.count * 2
    this.#ids = wider(this.#ids, new Float64Array(size))
    this.#offsets = wider(this.#offsets, new Float64Array(size))
    this.#lengths = wider(this.#lengths, new Uint32Array(size))
    this.#runs = wider(this.#runs, new Uint32Array(size))
  }
}

function wider<Numbers extends Float64Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
