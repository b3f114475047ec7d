import type { SideFiles } from './side-files.ts'

/** Files made of data without a known version: one per layer, for the lifetime of this process. */
export class LooseFiles {
  readonly #files: SideFiles
  readonly #paths = new Map<number, string>()

  constructor(files: SideFiles) {
    this.#files = files
  }

  /** Replaces the previous file by a new one and deletes the old one. */
  async keep(layerId: number, path: string): Promise<string> {
    const older = this.#paths.get(layerId)
    this.#paths.set(layerId, path)
    if (older !== undefined) await this.#files.discard(older)
    return path
  }

  async close(): Promise<void> {
    for (const path of this.#paths.values()) await this.#files.discard(path)
  }
}
