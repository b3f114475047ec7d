import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = 'preview-'
/**
 * Interval at which a process touches its folder, and the age from which a folder counts as left by a dead
 * process.
 */
const aliveMs = 30_000
const leftMs = 300_000

/** The folder of this process for preview files; nothing in it is used after the process ends. */
export class PreviewFolder {
  readonly path: string
  readonly #root: string
  #alive: NodeJS.Timeout | undefined

  constructor(root: string) {
    this.#root = root
    this.path = join(root, `${prefix}${randomBytes(6).toString('hex')}`)
  }

  /** Created on first use. */
  async open(): Promise<string> {
    if (this.#alive === undefined) {
      await mkdir(this.path, { recursive: true, mode: 0o750 })
      this.#alive = setInterval(() => void this.#touch(), aliveMs).unref()
    }
    return this.path
  }

  /** Removes folders left by killed processes; immediately if no other process can be running. */
  async sweep({ isAlone }: { isAlone: boolean }): Promise<void> {
    for (const name of await readdir(this.#root).catch((): string[] => [])) {
      const path = join(this.#root, name)
      if (!name.startsWith(prefix) || path === this.path) continue
      if (isAlone || (await isLeft(path))) await rm(path, { recursive: true, force: true })
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#alive)
    await rm(this.path, { recursive: true, force: true })
  }

  async #touch(): Promise<void> {
    const now = new Date()
    await utimes(this.path, now, now).catch(() => undefined)
  }
}

async function isLeft(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => undefined)
  return status !== undefined && Date.now() - status.mtimeMs > leftMs
}
