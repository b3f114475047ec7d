import type { SideFiles } from './side-files.ts'

/** Files made of data of which nobody could tell the version: one for each layer, as long as this process lives. */
export class LooseFiles {
  readonly #files: SideFiles
  readonly #paths = new Map<number, string>()

  constructor(files: SideFiles) {
    this.#files = files
  }

  /** Takes a file into the place of the one before, whose space is given back. */
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
