import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFormat } from './archive.ts'
import type { Bounds } from './visit-tiles.ts'

/** States of an export; the first two are those of work that is still to be done. */
export const exportStates = ['PENDING', 'RUNNING', 'COMPLETE', 'ERROR'] as const
type ExportState = (typeof exportStates)[number]

/** An export of a layer, as it is kept. */
export interface ExportRecord {
  /** 128 random bits: who has it may ask for it, if he may read the layer. */
  id: string
  layerId: number
  workspace: string
  layer: string
  /** Which of its versions; absent: the present one. */
  version?: number
  format: ExportFormat
  minZoom: number
  maxZoom: number
  bbox?: Bounds
  /** Who asked for it. */
  user: string
  state: ExportState
  /** Tiles that were looked at, and those that are known to be looked at. */
  progress: number
  total: number
  sizeBytes?: number
  /** Why it failed. */
  message?: string
  createdAt: string
  expiresAt: string
  /** When its server was last at work on it. */
  seenMs: number
}

const idForm = /^[0-9a-f]{32}$/
const recordEnding = '.json'

/** Another server may be at work on it as long as it was seen within this time. */
const aliveMs = 15_000

/** Records of exports and their files, in one folder that several servers may share. */
export class ExportRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  newId(): string {
    return randomBytes(16).toString('hex')
  }

  /** The finished file. */
  filePath({ id, format }: Pick<ExportRecord, 'id' | 'format'>): string {
    return join(this.#folder, `${id}.${format}`)
  }

  async save(record: ExportRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o750 })
    const path = this.#recordPath(record.id)
    const unfinished = `${path}.${randomBytes(4).toString('hex')}`
    await writeFile(unfinished, JSON.stringify(record), { mode: 0o640 })
    await rename(unfinished, path)
  }

  /** As it stands; one whose server has died is told as failed. */
  async find(id: string): Promise<ExportRecord | undefined> {
    if (!idForm.test(id)) return undefined
    try {
      return settled(JSON.parse(await readFile(this.#recordPath(id), 'utf8')) as ExportRecord)
    } catch {
      return undefined
    }
  }

  async list(): Promise<ExportRecord[]> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    const ids = names
      .filter((name) => name.endsWith(recordEnding))
      .map((name) => name.slice(0, -recordEnding.length))
    const found = await Promise.all(ids.map((id) => this.find(id)))
    return found.filter((one) => one !== undefined)
  }

  async remove(id: string): Promise<void> {
    if (!idForm.test(id)) return
    const names = await readdir(this.#folder).catch((): string[] => [])
    for (const name of names)
      if (name.startsWith(`${id}.`)) await rm(join(this.#folder, name), { force: true })
  }

  /** Files that no record names, such as what a killed process was writing. */
  async removeStrays(): Promise<void> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    const known = new Set(
      names.filter((name) => name.endsWith(recordEnding)).map((name) => name.slice(0, 32)),
    )
    for (const name of names) {
      const path = join(this.#folder, name)
      const look = await stat(path).catch(() => undefined)
      const isYoung = look !== undefined && Date.now() - look.mtimeMs < aliveMs
      if (!known.has(name.slice(0, 32)) && !isYoung) await rm(path, { force: true })
    }
  }

  /** What all files take together. */
  async sizeBytes(): Promise<number> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    const looks = await Promise.all(
      names.map((name) => stat(join(this.#folder, name)).catch(() => undefined)),
    )
    return looks.reduce((sum, look) => sum + (look?.size ?? 0), 0)
  }

  #recordPath(id: string): string {
    return join(this.#folder, `${id}${recordEnding}`)
  }
}

/** Whether work on it is still to be done. */
function isOpen({ state }: Pick<ExportRecord, 'state'>): boolean {
  return state === 'PENDING' || state === 'RUNNING'
}

function settled(record: ExportRecord): ExportRecord {
  if (!isOpen(record) || Date.now() - record.seenMs < aliveMs) return record
  return {
    ...record,
    state: 'ERROR',
    message: 'The server was ended while it made the file: ask for it anew',
  }
}
