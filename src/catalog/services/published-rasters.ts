import { basename, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { explain, Failure, invalid } from '../../core/errors/errors.ts'
import { matchesPatterns } from '../../core/text/name-pattern.ts'
import type { LayerDescription } from '../../formats/worker.ts'
import { findCrs, matchCrs } from '../../geo/crs-database.ts'
import { isSameCrs } from '../../geo/crs-same.ts'
import { scanFile } from '../../inputs/index.ts'
import { type AnyStoreType, mosaicType, rasterFolderType, readRaster } from '../../stores/index.ts'
import { defaultStyleName } from '../../styles/worker.ts'
import type { RasterFile } from '../files/raster-folder.ts'
import { listRasterFiles, markRaster } from '../files/raster-folder.ts'
import type { InPlace, LayerDetails, LayerRecord, StoreRecord } from '../records.ts'
import { listTableNames } from '../rows/layer-rows.ts'
import { checkName } from '../rows/workspace-rows.ts'
import type { PublishedAll } from './insert-published.ts'
import { addTo, insertPublished } from './insert-published.ts'
import type { Stores, StoresDeps } from './stores.ts'

/** Maximum number of rasters that one list operation describes; the next one continues. */
const describedPerList = 200
const rememberedRasters = 20_000
/** Never aborts: programs that describe a raster have their own limit on CPU time. */
const noLimit = new AbortController().signal
/** Time in which a file that is being written changes, in milliseconds. */
const writingMs = 100

/** A raster of a store, and the layer that shows it. */
export interface ListedRaster {
  /** Path below the folder of the store, or the name of its file. */
  name: string
  sizeBytes?: number
  format?: AnyStoreType
  description?: LayerDescription
  /** Name of the layer. */
  published?: string
  problems: { code: string; message: string }[]
}

/** A raster to publish. */
export interface RasterToPublish {
  /** Path below the folder of the store; absent for a store over one file. */
  nativeName?: string
  name?: string
  title?: string
  abstract?: string
  /** CRS of a raster that declares none, such as `EPSG:25832`. */
  srs?: string
}

/** Description of a raster file. */
export interface DescribedRaster {
  format: AnyStoreType
  description: LayerDescription
  /** State of its files. */
  mark: string
}

/** Contents of a mosaic over a folder, for its layer. */
export type MosaicFacts = Pick<
  LayerDetails,
  'raster' | 'srs' | 'crs' | 'envelope' | 'times' | 'featureCount'
> & {
  /** State of the folder. */
  mark: string
  /** Files that are not shown, with the reasons. */
  fault?: string
}

export interface MosaicReader {
  read(store: StoreRecord, knownMark?: string): Promise<MosaicFacts | undefined>
}

interface Remembered {
  mark: string
  raster: DescribedRaster | Failure
}

/** Publishes raster files of stores in place, without a copy. Files are only read. */
export class PublishedRasters {
  readonly #deps: Pick<StoresDeps, 'database' | 'clock' | 'events' | 'importRoots'>
  readonly #files: Stores['files']
  #mosaics: MosaicReader | undefined
  readonly #remembered = new Map<string, Remembered>()

  constructor(deps: StoresDeps, { files }: Pick<Stores, 'files'>) {
    this.#deps = deps
    this.#files = files
  }

  /** Lists the rasters of a store with their layers. */
  async list(store: StoreRecord): Promise<ListedRaster[]> {
    const files = await this.listFiles(store)
    const layers = await listTableNames(this.#deps.database.kysely, store.id)
    const shown = new Map(layers.map(({ table, name }) => [table, name]))
    const all: ListedRaster[] = []
    let described = 0
    for (const one of files) {
      const isKnown = this.#remembered.has(one.file.path)
      if (!isKnown) described += 1
      const raster = !isKnown && described > describedPerList ? undefined : await this.#tryDescribe(one)
      all.push({ name: one.name, published: shown.get(one.name), ...toListed(raster) })
    }
    return all
  }

  /** Lists the raster files of a store, without opening them. */
  async listFiles({ name, type, parameters: { path = '' } }: StoreRecord): Promise<RasterFile[]> {
    if (type === mosaicType && path === '')
      throw invalid('no-rasters', `Store "${name}" is a mosaic of imported files, which is one layer already`)
    if (type !== rasterFolderType && type !== mosaicType)
      return [{ name: basename(path), file: await scanFile(path, noLimit) }]
    try {
      return await listRasterFiles(path, this.#deps.importRoots)
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new Failure('unavailable', 'store-folder', `The folder of store "${name}" cannot be read`, {
        cause: error,
      })
    }
  }

  /** Publishes a raster as a new layer. Throws `Failure` if it cannot be read, or if the name of the layer is taken. */
  async publish(store: StoreRecord, requested: RasterToPublish): Promise<LayerRecord> {
    const files = await this.#enabledFiles(store)
    if (store.type === mosaicType) return this.#publishMosaic(store, requested)
    return this.#publishOne(store, findRaster(store, files, requested), requested)
  }

  /** Publishes rasters independently of each other. */
  async publishSeveral(store: StoreRecord, requested: readonly RasterToPublish[]): Promise<PublishedAll> {
    const all: PublishedAll = { published: [], failed: [] }
    const files = await this.#enabledFiles(store)
    for (const one of requested)
      await addTo(all, one.nativeName ?? '', async () =>
        store.type === mosaicType
          ? this.#publishMosaic(store, one)
          : this.#publishOne(store, findRaster(store, files, one), one),
      )
    return all
  }

  /** Publishes all selected rasters of a store that no layer shows yet, independently of each other. */
  async publishAll(
    store: StoreRecord,
    isSelected: (name: string) => boolean,
    nameOf: (name: string) => string = (name) => name,
  ): Promise<PublishedAll> {
    const all: PublishedAll = { published: [], failed: [] }
    const files = await this.#enabledFiles(store)
    if (store.type === mosaicType) {
      await addTo(all, store.name, () => this.#publishMosaic(store, {}))
      return all
    }
    const shown = new Set(
      (await listTableNames(this.#deps.database.kysely, store.id)).map(({ table }) => table),
    )
    for (const one of files)
      if (!shown.has(one.name) && isSelected(one.name))
        await addTo(all, one.name, () => this.#publishOne(store, one, {}, nameOf))
    return all
  }

  /**
   * Publishes the new rasters of a folder with discovery. An unreadable raster is read again when it changes.
   */
  async discover(store: StoreRecord): Promise<void> {
    const { discovery, type } = store
    if (discovery === undefined || type !== rasterFolderType) return
    const isSelected = (name: string): boolean =>
      matchesPatterns(name, discovery) && !discovery.exclude.includes(name)
    await this.publishAll(store, isSelected, (name) => discovery.naming.replaceAll('{table}', name))
  }

  /** Describes a raster; uses the cached description if its files are unchanged. */
  async describe({ name, file }: RasterFile): Promise<DescribedRaster> {
    const { text: mark, isFresh } = await markRaster(file)
    const known = this.#remembered.get(file.path)
    if (known?.mark === mark) {
      if (known.raster instanceof Failure) throw known.raster
      return known.raster
    }
    if (isFresh) await sleep(writingMs)
    const raster = await readRaster(file.path, noLimit).then(
      ({ type, description }): DescribedRaster => ({ format: type, description, mark }),
      (error: unknown) => {
        if (error instanceof Failure) return error
        throw error
      },
    )
    if ((await markRaster(file)).text !== mark)
      throw invalid('file-changing', `"${name}" is being written: publish it when it is complete`)
    this.#remember(file.path, { mark, raster })
    if (raster instanceof Failure) throw raster
    return raster
  }

  /** Reads a mosaic for its layer; undefined if its folder is in the state `knownMark`. */
  readMosaic(store: StoreRecord, knownMark?: string): Promise<MosaicFacts | undefined> {
    if (this.#mosaics === undefined) throw new Error('No importer reads mosaics')
    return this.#mosaics.read(store, knownMark)
  }

  /** Sets the reader of mosaics, which is part of the importer. */
  setMosaicReader(mosaics: MosaicReader): void {
    this.#mosaics = mosaics
  }

  async #publishMosaic(
    store: StoreRecord,
    { name, title = store.name, abstract, srs: requested }: RasterToPublish,
  ): Promise<LayerRecord> {
    if (name !== undefined) checkName('Layer', name)
    if (requested !== undefined)
      throw invalid('srs-declared', 'A mosaic has the CRS of its files: leave "srs" out')
    const facts = await this.readMosaic(store)
    if (facts?.raster === undefined)
      throw invalid('no-granules', facts?.fault ?? `The folder of store "${store.name}" holds no raster yet`)
    const details: LayerDetails = {
      kind: 'raster',
      title,
      abstract,
      originalName: store.name,
      style: defaultStyleName(undefined, 'raster'),
      schema: { attributes: [], geometry: undefined },
      ...mosaicDetails(facts),
    }
    const nativeName = store.name
    return insertPublished(this.#deps, store, { nativeName, name, proposedName: nativeName, details })
  }

  async #enabledFiles(store: StoreRecord): Promise<RasterFile[]> {
    if (!store.isEnabled) throw invalid('store-disabled', `The store "${store.name}" is switched off`)
    return this.listFiles(store)
  }

  #tryDescribe(file: RasterFile): Promise<DescribedRaster | Failure> {
    return this.describe(file).catch((error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    })
  }

  #remember(path: string, known: Remembered): void {
    this.#remembered.delete(path)
    this.#remembered.set(path, known)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > rememberedRasters && oldest !== undefined) this.#remembered.delete(oldest)
  }

  async #publishOne(
    store: StoreRecord,
    file: RasterFile,
    { name, title, abstract, srs }: RasterToPublish,
    nameOf: (name: string) => string = (path) => path,
  ): Promise<LayerRecord> {
    if (name !== undefined) checkName('Layer', name)
    const { format, description, mark } = await this.describe(file)
    const bare = basename(file.name, extname(file.name))
    const isOurs = await this.#files.isOurs(store)
    const details: LayerDetails = {
      kind: 'raster',
      title: title ?? bare,
      abstract,
      originalName: file.name,
      style: defaultStyleName(undefined, 'raster'),
      ...rasterDetails(file.name, description, srs),
      inPlace: isOurs ? undefined : { managed: false, columnsMark: mark, format },
    }
    const proposedName = nameOf(file.name.slice(0, file.name.length - extname(file.name).length))
    const nativeName = file.name
    return insertPublished(this.#deps, store, { nativeName, name, proposedName, details })
  }
}

/**
 * Returns the details of a layer that its raster determines. A CRS declared by the file cannot be replaced.
 */
export function rasterDetails(
  name: string,
  { schema, raster, envelope }: LayerDescription,
  requested: string | undefined,
): Pick<LayerDetails, 'schema' | 'raster' | 'envelope' | 'srs' | 'crs'> {
  if (raster === undefined) throw invalid('no-raster', `"${name}" holds no raster`)
  if (envelope === undefined)
    throw invalid(
      'no-extent',
      `"${name}" is not georeferenced: add a world file, or import a copy and name its bounds`,
    )
  const { crs } = raster
  const declared = crs && (crs.srs ?? matchCrs(crs))
  const given = requested === undefined ? undefined : findCrs(requested)?.srs
  if (requested !== undefined && given === undefined)
    throw invalid('unknown-srs', `The CRS "${requested}" is not known: name it like "EPSG:25832"`)
  if (given !== undefined && crs !== undefined && !isSameCrs(given, crs))
    throw invalid(
      'srs-declared',
      `"${name}" declares ${declared ?? 'another CRS'}: a raster published in place keeps its CRS. Import a copy in ${given}, or leave "srs" out`,
    )
  const srs = declared ?? given
  return { schema, raster, envelope, srs, crs: srs === undefined ? crs : { ...crs, srs } }
}

/** Returns the details of a layer that its mosaic determines. */
export function mosaicDetails({
  mark,
  fault,
  ...facts
}: MosaicFacts): Omit<MosaicFacts, 'mark' | 'fault'> & { inPlace: InPlace } {
  return { ...facts, inPlace: { managed: false, columnsMark: mark, format: mosaicType, fault } }
}

function toListed(raster: DescribedRaster | Failure | undefined): Omit<ListedRaster, 'name'> {
  if (raster === undefined)
    return { problems: [{ code: 'not-read', message: 'The file was not read yet: list the rasters again' }] }
  if (raster instanceof Failure) return { problems: [{ code: raster.code, message: explain(raster) }] }
  const { format, description } = raster
  const problems: ListedRaster['problems'] = []
  if (description.envelope === undefined)
    problems.push({ code: 'no-extent', message: 'The raster is not georeferenced: add a world file' })
  if (description.raster?.crs === undefined)
    problems.push({
      code: 'no-crs',
      message: 'The raster declares no CRS: add a .prj file, or name it as "srs"',
    })
  return { format, description, sizeBytes: description.raster?.sizeBytes, problems }
}

function findRaster(
  store: StoreRecord,
  files: readonly RasterFile[],
  { nativeName }: RasterToPublish,
): RasterFile {
  const [first] = files
  if (store.type !== rasterFolderType && first !== undefined) {
    const isNamed = nativeName === undefined || nativeName === first.name
    if (isNamed || nativeName === store.name || `${nativeName}${extname(first.name)}` === first.name)
      return first
  }
  const found = files.find(({ name }) => name === nativeName)
  if (found !== undefined) return found
  if (nativeName === undefined)
    throw invalid(
      'unknown-raster',
      `A coverage needs "nativeName": the name of a raster of store "${store.name}"`,
    )
  throw invalid(
    'unknown-raster',
    `There is no raster "${nativeName}" in store "${store.name}": list its rasters with GET …/coveragestores/${store.name}/rasters`,
  )
}
