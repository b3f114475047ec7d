import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { explain, Failure } from '../core/errors/errors.ts'
import { without } from '../core/values/defined.ts'
import type { DataFile } from '../formats/worker.ts'
import { groupSidecars } from '../inputs/index.ts'
import { rasterFolderType } from '../stores/index.ts'
import type { RasterFile } from './files/raster-folder.ts'
import { markRaster } from './files/raster-folder.ts'
import type { InPlace, LayerDetails, LayerRecord, StoreRecord } from './records.ts'
import type { DescribedRaster, PublishedRasters } from './services/published-rasters.ts'
import { rasterDetails } from './services/published-rasters.ts'
import type { LayerSummary } from './summaries/layer-summary.ts'

/** Saves the details of a layer whose raster was read again. */
export type SaveRaster = (
  summary: LayerSummary,
  detailsOf: (layer: LayerRecord) => LayerDetails,
) => Promise<void>

/** Follows the files of rasters that were published in place. Use one instance for each round. */
export class RasterRound {
  readonly #rasters: Pick<PublishedRasters, 'describe' | 'listFiles'>
  readonly #save: SaveRaster
  /** Files in the folders of single rasters; each folder is listed once. */
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, DataFile>>>()

  constructor(rasters: Pick<PublishedRasters, 'describe' | 'listFiles'>, save: SaveRaster) {
    this.#rasters = rasters
    this.#save = save
  }

  /** Returns the files of a store that exist, by the names of its rasters. */
  async filesOf(store: StoreRecord): Promise<ReadonlyMap<string, RasterFile>> {
    const { path = '' } = store.parameters
    if (store.type === rasterFolderType)
      return new Map((await this.#rasters.listFiles(store)).map((one) => [one.name, one]))
    const file = (await this.#filesIn(dirname(path))).get(path)
    const name = basename(path)
    return new Map(file === undefined ? [] : [[name, { name, file }]])
  }

  /** Reads a raster again if its files have changed. A missing file is a problem that `StoreAvailability` finds. */
  async follow(summary: LayerSummary, file: RasterFile): Promise<void> {
    const { inPlace } = summary
    const { text, isFresh } = await markRaster(file.file)
    // A file that is still being written is read in a later round.
    if (inPlace === undefined || isFresh || inPlace.columnsMark === text) return
    const raster = await this.#rasters.describe(file).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'invalid') return error
      throw error
    })
    if (raster instanceof Failure && raster.code === 'file-changing') return
    await this.#save(summary, (layer) => detailsAfter(layer, raster, { ...inPlace, columnsMark: text }))
  }

  #filesIn(folder: string): Promise<ReadonlyMap<string, DataFile>> {
    const known = this.#folders.get(folder)
    if (known !== undefined) return known
    const files = readdir(folder).then(
      (names) =>
        new Map(groupSidecars(names.map((name) => join(folder, name))).map((file) => [file.path, file])),
      () => new Map<string, DataFile>(),
    )
    this.#folders.set(folder, files)
    return files
  }
}

/** Returns the details of a layer after its raster was read again. If that failed, `fault` has the reason. */
function detailsAfter(
  { details }: LayerRecord,
  raster: DescribedRaster | Failure,
  before: InPlace,
): LayerDetails {
  const inPlace = without(before, 'fault')
  if (raster instanceof Failure) return { ...details, inPlace: { ...inPlace, fault: explain(raster) } }
  const { description, format } = raster
  const declared = description.raster?.crs === undefined ? details.srs : undefined
  try {
    const described = rasterDetails(details.originalName, description, declared)
    return { ...without(details, 'srs', 'crs'), ...described, inPlace: { ...inPlace, format } }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...details, inPlace: { ...inPlace, fault: explain(error) } }
  }
}
