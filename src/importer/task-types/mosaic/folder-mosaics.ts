import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Catalog,
  granuleFile,
  type MosaicFacts,
  markRaster,
  type RasterFile,
  type RasterMark,
  type StoreRecord,
} from '../../../catalog/index.ts'
import { explain, Failure } from '../../../core/errors/errors.ts'
import { loadWritten } from '../../../formats/writing/index.ts'
import type { CrsDeclaration } from '../../../geo/crs.ts'
import { findDateInName } from '../../../inputs/index.ts'
import { type GranuleRecord, type IndexRow, indexBatches, indexSchema } from '../../model/model.ts'
import { cornersOf } from '../raster/footprint-rows.ts'
import { checkGranules } from './check-granules.ts'
import { toGranule } from './granule.ts'
import { toTimes } from './publish-mosaic.ts'

const namedFaults = 5
/** Time in which a file that is being written changes, in milliseconds. */
const writingMs = 100

/** A granule as it was described, with the state of its file. */
interface StoredGranule {
  mark: string
  granule: GranuleRecord
}

type MarkedFile = RasterFile & RasterMark

/** Reads mosaics over folders of an import root, whose files stay where they are, and writes their index. */
export class FolderMosaics {
  readonly #rasters: Pick<Catalog['rasters'], 'listFiles' | 'describe'>

  constructor({ rasters }: Pick<Catalog, 'rasters'>) {
    this.#rasters = rasters
  }

  /**
   * Describes new and changed files of the folder and writes the index of granules. Returns what the layer shows;
   * undefined if the folder is in the state `knownMark`. A file that is being written is left for a later call.
   */
  async read(store: StoreRecord, knownMark?: string): Promise<MosaicFacts | undefined> {
    const folder = store.parameters['folder'] ?? ''
    const files = await this.#rasters.listFiles(store)
    const marked = await markAll(files)
    // Publication waits for files that are being written; later calls leave them for the next one.
    const isFirst = knownMark === undefined
    if (isFirst && marked.some(({ isFresh }) => isFresh)) await sleep(writingMs)
    const ready = isFirst ? await markAll(files) : await this.#settled(folder, marked)
    const mark = digest(ready.map(({ name, text }) => `${name}\n${text}`))
    if (mark === knownMark) return undefined
    const known = await readStored(folder)
    const stored: StoredGranule[] = []
    for (const { text, ...file } of ready) {
      const before = known.get(file.name)
      stored.push(before?.mark === text ? before : { mark: text, granule: await this.#describe(file) })
    }
    const { granules, model, envelope } = checkGranules(stored.map(({ granule }) => withTime(store, granule)))
    const shown = granules.filter(({ fault }) => fault === undefined)
    const crs = model?.raster?.crs
    await writeIndex(folder, shown, crs)
    await writeWhole(join(folder, storedName), JSON.stringify(stored))
    const times = toTimes(new Set(shown.flatMap(({ timeMs }) => timeMs ?? [])))
    return {
      mark,
      raster: model?.raster,
      srs: model?.srs,
      crs,
      envelope,
      times,
      featureCount: shown.length,
      fault: faultOf(granules),
    }
  }

  /** Returns the files without new ones that are being written. A known one counts as before until it is complete. */
  async #settled(folder: string, files: readonly MarkedFile[]): Promise<MarkedFile[]> {
    if (!files.some(({ isFresh }) => isFresh)) return [...files]
    const known = await readStored(folder)
    return files.flatMap((file) => {
      const mark = known.get(file.name)?.mark
      if (!file.isFresh) return file
      return mark === undefined ? [] : { ...file, text: mark }
    })
  }

  async #describe(file: RasterFile): Promise<GranuleRecord> {
    const place = { importId: 0, taskId: 0, folder: '' }
    try {
      const { format, description } = await this.#rasters.describe(file)
      return { ...toGranule({ file: file.file, layers: [description], format }, place), fileId: file.name }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error
      const fault = { code: 'unreadable', reason: `cannot be read: ${explain(error)}` } as const
      return { importId: 0, taskId: 0, fileId: file.name, file: file.file, sizeBytes: 0, fault }
    }
  }
}

function markAll(files: readonly RasterFile[]): Promise<MarkedFile[]> {
  return Promise.all(files.map(async (one) => ({ ...one, ...(await markRaster(one.file)) })))
}

function withTime({ parameters }: StoreRecord, granule: GranuleRecord): GranuleRecord {
  if (parameters['time'] !== 'auto') return granule
  const named = findDateInName(basename(granule.fileId))
  return 'timeMs' in named ? { ...granule, timeMs: named.timeMs } : granule
}

function faultOf(granules: readonly GranuleRecord[]): string | undefined {
  const faulty = granules.filter(({ fault }) => fault !== undefined)
  if (faulty.length === 0) return undefined
  const named = faulty.slice(0, namedFaults).map(({ fileId, fault }) => `"${fileId}" ${fault?.reason}`)
  const more = faulty.length > named.length ? `; and ${faulty.length - named.length} more` : ''
  return `${faulty.length} of ${granules.length} files of the folder are not shown: ${named.join('; ')}${more}`
}

const storedName = 'granules.json'

async function readStored(folder: string): Promise<Map<string, StoredGranule>> {
  try {
    const stored = JSON.parse(await readFile(join(folder, storedName), 'utf8')) as StoredGranule[]
    return new Map(stored.map((one) => [one.granule.fileId, one]))
  } catch {
    // Without a readable list, every file is described again.
    return new Map()
  }
}

/** Writes the index as FlatGeobuf, which readers of features open. */
async function writeIndex(
  folder: string,
  granules: readonly GranuleRecord[],
  crs: CrsDeclaration | undefined,
): Promise<void> {
  const rows = granules.flatMap(({ fileId, file, raster, sizeBytes, timeMs }): IndexRow[] => {
    const footprint = raster === undefined ? undefined : cornersOf(raster)
    if (raster === undefined || footprint === undefined) return []
    const { width, height } = raster
    return [{ file: fileId, location: file.path, timeMs, width, height, sizeBytes, footprint }]
  })
  const schema = indexSchema(crs)
  const about = { name: 'granules', title: 'granules', collection: '', schema, hidesIds: true }
  const writer = (await loadWritten('flatgeobuf')).open(about, schema)
  const parts: Uint8Array[] = []
  for await (const batch of indexBatches(rows, schema)) {
    for (let row = 0; row < batch.rowCount; row += 1) writer.add(batch, row, String(row))
    parts.push(writer.take())
  }
  parts.push(writer.take())
  await writeWhole(join(folder, granuleFile), Buffer.concat(parts))
}

/** Replaces a file in one step. */
async function writeWhole(path: string, contents: string | Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`
  await mkdir(join(path, '..'), { recursive: true })
  try {
    await writeFile(part, contents, { mode: 0o640 })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}

function digest(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n\n')).digest('hex')
}
