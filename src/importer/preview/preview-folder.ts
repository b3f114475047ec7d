import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = 'preview-'
/** How often a process that is alive touches its folder, and when one counts as left by a process that is not. */
const aliveMs = 30_000
const leftMs = 300_000

/** The folder of this process for files of rows that somebody looks at; nothing in it outlives the process. */
export class PreviewFolder {
  readonly path: string
  readonly #root: string
  #alive: NodeJS.Timeout | undefined

  constructor(root: string) {
    this.#root = root
    this.path = join(root, `${prefix}${randomBytes(6).toString('hex')}`)
  }

  /** Makes it when it is first needed. */
  async open(): Promise<string> {
    if (this.#alive === undefined) {
      await mkdir(this.path, { recursive: true, mode: 0o750 })
      this.#alive = setInterval(() => void this.#touch(), aliveMs).unref()
    }
    return this.path
  }

  /** Removes what processes have left that were killed; where no other may be alive, at once. */
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
