import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredFile } from '../../file-store/stored-files.ts'
import type { GeneratedFile } from './generated-file.ts'
import { isUnfinished } from './generated-file.ts'

const idForm = /^[0-9a-f]{32}$/
const recordEnding = '.json'

/** Another server may be working on it if it was last seen within this time. */
export const aliveMs = 15_000

/** Records of created files, and the files, in one folder that several servers may share. */
export class FileRecords<Made extends GeneratedFile> {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  newId(): string {
    return randomBytes(16).toString('hex')
  }

  /** Path of the finished file. */
  filePath({ id, format }: Pick<GeneratedFile, 'id' | 'format'>): string {
    return join(this.#folder, `${id}.${format}`)
  }

  /** The finished file stays where it was made. */
  keep(_record: Pick<GeneratedFile, 'id' | 'format'>, _signal: AbortSignal): Promise<void> {
    return Promise.resolve()
  }

  /** Finds the file in the file store; undefined: it is at `filePath`. */
  findStored(_record: Pick<GeneratedFile, 'id' | 'format'>): Promise<StoredFile | undefined> {
    return Promise.resolve(undefined)
  }

  /** Path of a temporary folder. */
  workPath({ id }: Pick<GeneratedFile, 'id'>): string {
    return join(this.#folder, `${id}.work`)
  }

  async save(record: Made): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o750 })
    const path = this.#recordPath(record.id)
    const unfinished = `${path}.${randomBytes(4).toString('hex')}`
    await writeFile(unfinished, JSON.stringify(record), { mode: 0o640 })
    await rename(unfinished, path)
  }

  /** Returns a record; one whose server has died is reported as failed. */
  async find(id: string): Promise<Made | undefined> {
    if (!idForm.test(id)) return undefined
    try {
      return settled(JSON.parse(await readFile(this.#recordPath(id), 'utf8')) as Made)
    } catch {
      return undefined
    }
  }

  async list(): Promise<Made[]> {
    const names = await this.#names()
    const ids = names
      .filter((name) => name.endsWith(recordEnding))
      .map((name) => name.slice(0, -recordEnding.length))
    const found = await Promise.all(ids.map((id) => this.find(id)))
    return found.filter((one) => one !== undefined)
  }

  async count(): Promise<number> {
    return (await this.#names()).filter((name) => name.endsWith(recordEnding)).length
  }

  async remove(id: string): Promise<void> {
    if (!idForm.test(id)) return
    for (const name of await this.#names()) if (name.startsWith(`${id}.`)) await this.#removeNamed(name)
  }

  /**
   * Removes files without a record, and remaining files of inactive work, such as partial output of a killed
   * process.
   */
  async removeStrays(): Promise<void> {
    const unfinished = new Map((await this.list()).map((record) => [record.id, isUnfinished(record)]))
    for (const name of await this.#names()) {
      const isOpen = unfinished.get(name.slice(0, 32))
      const isLeft = isOpen === undefined || (!isOpen && name.endsWith('.work'))
      const look = await stat(join(this.#folder, name)).catch(() => undefined)
      const isYoung = look !== undefined && Date.now() - look.mtimeMs < aliveMs
      if (isLeft && !isYoung) await this.#removeNamed(name)
    }
  }

  /** Returns the total size of all files. */
  async sizeBytes(): Promise<number> {
    const entries = await readdir(this.#folder, { recursive: true }).catch((): string[] => [])
    const looks = await Promise.all(
      entries.map((entry) => stat(join(this.#folder, entry)).catch(() => undefined)),
    )
    return looks.reduce((sum, look) => sum + (look?.isFile() === true ? look.size : 0), 0)
  }

  #names(): Promise<string[]> {
    return readdir(this.#folder).catch((): string[] => [])
  }

  #removeNamed(name: string): Promise<void> {
    return rm(join(this.#folder, name), { recursive: true, force: true })
  }

  #recordPath(id: string): string {
    return join(this.#folder, `${id}${recordEnding}`)
  }
}

function settled<Made extends GeneratedFile>(record: Made): Made {
  return !isUnfinished(record) || Date.now() - record.seenMs < aliveMs ? record : endedRecord(record)
}

/** Returns the record of a file whose server has died. */
export function endedRecord<Made extends GeneratedFile>(record: Made): Made {
  return {
    ...record,
    state: 'ERROR',
    message: 'The server was ended while it made the file: ask for it anew',
  }
}
