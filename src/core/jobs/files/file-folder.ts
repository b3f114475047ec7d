import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GeneratedFile } from './generated-file.ts'
import type { AttemptPaths, FileName, ResultFiles, SaveRecord } from './result-files.ts'

/**
 * Maximum age of files that are not removed without a record: another server may have just started to write
 * them.
 */
const youngMs = 15_000

/** A folder with created files, which several servers may share. All names of a file begin with its id. */
export class FileFolder implements ResultFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  newId(): string {
    return randomBytes(16).toString('hex')
  }

  /** Path of the finished file. */
  filePath(file: FileName): string {
    return join(this.#folder, nameOf(file))
  }

  /** Creates the folder and returns paths that no other attempt uses, on any server. */
  async beginAttempt({ id, format }: FileName): Promise<AttemptPaths> {
    await mkdir(this.#folder, { recursive: true, mode: 0o750 })
    const attempt = `${id}.${randomBytes(4).toString('hex')}`
    return {
      path: join(this.#folder, `${attempt}.${format}`),
      workPath: join(this.#folder, `${attempt}.work`),
    }
  }

  /** Makes the result of an attempt the finished file. */
  async complete({ path }: AttemptPaths, file: FileName, save: SaveRecord): Promise<void> {
    await rename(path, this.filePath(file))
    if (!(await save())) await this.remove(file)
  }

  /** Removes remaining files of an attempt. */
  async endAttempt({ path, workPath }: AttemptPaths): Promise<void> {
    for (const left of [path, workPath]) await rm(left, { recursive: true, force: true })
  }

  async remove({ id }: Pick<FileName, 'id'>): Promise<void> {
    for (const name of await this.#names()) if (name.startsWith(`${id}.`)) await this.#removeNamed(name)
  }

  /** Removes files without a record, and files left by killed attempts. */
  async removeStrays(records: readonly GeneratedFile[]): Promise<void> {
    const states = new Map(records.map((record) => [record.id, record]))
    for (const name of await this.#names()) {
      const record = states.get(name.slice(0, 32))
      const isUsed =
        record !== undefined && (record.state === 'COMPLETE' ? name === nameOf(record) : isInWork(record))
      const found = isUsed ? undefined : await stat(join(this.#folder, name)).catch(() => undefined)
      if (found !== undefined && Date.now() - found.mtimeMs >= youngMs) await this.#removeNamed(name)
    }
  }

  /** Returns the total size of all files. */
  async sizeBytes(): Promise<number> {
    const entries = await readdir(this.#folder, { recursive: true }).catch((): string[] => [])
    const found = await Promise.all(
      entries.map((entry) => stat(join(this.#folder, entry)).catch(() => undefined)),
    )
    return found.reduce((sum, entry) => sum + (entry?.isFile() === true ? entry.size : 0), 0)
  }

  #names(): Promise<string[]> {
    return readdir(this.#folder).catch((): string[] => [])
  }

  #removeNamed(name: string): Promise<void> {
    return rm(join(this.#folder, name), { recursive: true, force: true })
  }
}

/** Returns the name of a finished file. */
export function nameOf({ id, format }: FileName): string {
  return `${id}.${format}`
}

function isInWork({ state }: GeneratedFile): boolean {
  return state !== 'ERROR'
}
