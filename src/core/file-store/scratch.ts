import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { scratchFull } from './failures.ts'

interface Entry {
  path: string
  sizeBytes: number
  users: number
}

/** A file or folder in the scratch folder that is in use until it is released. */
export interface ScratchEntry {
  path: string
  /** Sets the size; removes other entries if all together exceed the limit. Throws `Failure` (`scratch-full`). */
  resize(sizeBytes: number): Promise<void>
  release(): void
}

/**
 * Local copies of stored files, up to a total size. The least recently used copies are removed first; copies
 * in use are never removed.
 */
export class Scratch {
  readonly #maxBytes: number
  /** Entries in the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  #usedBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  get maxBytes(): number {
    return this.#maxBytes
  }

  /** Marks a path as in use. It need not exist. */
  enter(path: string): ScratchEntry {
    const entry = this.#entries.get(path) ?? { path, sizeBytes: 0, users: 0 }
    entry.users += 1
    this.#touch(entry)
    let isHeld = true
    return {
      path,
      resize: (sizeBytes) => this.#resize(entry, sizeBytes),
      release: () => {
        if (!isHeld) return
        isHeld = false
        entry.users -= 1
      },
    }
  }

  /** Removes a path immediately, even if it is in use. */
  async drop(path: string): Promise<void> {
    const entry = this.#entries.get(path)
    if (entry !== undefined) this.#forget(entry)
    await rm(path, { recursive: true, force: true })
  }

  #touch(entry: Entry): void {
    this.#entries.delete(entry.path)
    this.#entries.set(entry.path, entry)
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.path)
    this.#usedBytes -= entry.sizeBytes
    entry.sizeBytes = 0
  }

  async #resize(entry: Entry, sizeBytes: number): Promise<void> {
    if (!this.#entries.has(entry.path)) this.#touch(entry)
    this.#usedBytes += sizeBytes - entry.sizeBytes
    entry.sizeBytes = sizeBytes
    for (const other of [...this.#entries.values()]) {
      if (this.#usedBytes <= this.#maxBytes) return
      if (other.users > 0 || other.sizeBytes === 0) continue
      this.#forget(other)
      await rm(other.path, { recursive: true, force: true })
    }
    if (this.#usedBytes <= this.#maxBytes) return
    this.#usedBytes -= entry.sizeBytes
    entry.sizeBytes = 0
    throw scratchFull()
  }
}

/** Creates the folder of a path; returns true if the path is a file. */
export async function isLocal(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
