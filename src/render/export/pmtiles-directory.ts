import { gzipSync } from 'node:zlib'

/** Header and root directory, which a reader requests first (PMTiles 3, section 2). */
export const archiveHeadBytes = 16_384
export const pmtilesHeaderBytes = 127
const firstLeafSize = 4096

/** Entries of a directory, by ascending tile id; a run of 0 leads to a leaf directory. */
export interface Entries {
  count: number
  id(at: number): number
  run(at: number): number
  length(at: number): number
  offset(at: number): number
}

/** Serializes a directory (section 4.2) without compression. */
function serialize(entries: Entries, from: number, to: number): Uint8Array {
  const out = new Varints()
  out.add(to - from)
  let last = 0
  for (let at = from; at < to; at += 1) {
    out.add(entries.id(at) - last)
    last = entries.id(at)
  }
  for (let at = from; at < to; at += 1) out.add(entries.run(at))
  for (let at = from; at < to; at += 1) out.add(entries.length(at))
  for (let at = from; at < to; at += 1) {
    const isNext = at > from && entries.offset(at) === entries.offset(at - 1) + entries.length(at - 1)
    out.add(isNext ? 0 : entries.offset(at) + 1)
  }
  return out.bytes()
}

/**
 * Returns the root directory, and leaf directories if the root cannot contain all entries; each compressed
 * with gzip.
 */
export function writeDirectories(entries: Entries): { root: Uint8Array; leaves: Uint8Array[] } {
  const fits = (bytes: Uint8Array): boolean => bytes.length <= archiveHeadBytes - pmtilesHeaderBytes
  if (entries.count < archiveHeadBytes) {
    const root = gzipSync(serialize(entries, 0, entries.count))
    if (fits(root)) return { root, leaves: [] }
  }
  for (let size = firstLeafSize; ; size = Math.ceil(size * 1.5)) {
    const leaves: Uint8Array[] = []
    const pointers: { id: number; length: number; offset: number }[] = []
    let offset = 0
    for (let from = 0; from < entries.count; from += size) {
      const leaf = gzipSync(serialize(entries, from, Math.min(from + size, entries.count)))
      pointers.push({ id: entries.id(from), length: leaf.length, offset })
      offset += leaf.length
      leaves.push(leaf)
    }
    const root = gzipSync(serialize(pointersAsEntries(pointers), 0, pointers.length))
    if (fits(root)) return { root, leaves }
  }
}

function pointersAsEntries(pointers: { id: number; length: number; offset: number }[]): Entries {
  return {
    count: pointers.length,
    id: (at) => pointers[at]?.id ?? 0,
    run: () => 0,
    length: (at) => pointers[at]?.length ?? 0,
    offset: (at) => pointers[at]?.offset ?? 0,
  }
}

/** Writes varints: integers up to 2^53, seven bits per byte, lowest bits first. */
class Varints {
  #bytes = new Uint8Array(1 << 16)
  #size = 0

  add(value: number): void {
    if (this.#size + 10 > this.#bytes.length) {
      const wider = new Uint8Array(this.#bytes.length * 2)
      wider.set(this.#bytes)
      this.#bytes = wider
    }
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#size] = (rest % 128) | 128
      this.#size += 1
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#size] = rest
    this.#size += 1
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }
}
