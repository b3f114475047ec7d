import { orAborted } from '../core/concurrency/or-aborted.ts'
import type { Logger } from '../core/log/logger.ts'
import { without } from '../core/values/defined.ts'
import type { Schema } from '../geo/schema.ts'
import { withTitles } from '../geo/schema.ts'
import { isCoverageStoreType, mosaicType, type TableDescription, type TableSummary } from '../stores/index.ts'
import { RasterRound } from './follow-rasters.ts'
import type { InPlace, LayerDetails, LayerRecord, StoreRecord } from './records.ts'
import { findLayerById, updateLayer } from './rows/layer-rows.ts'
import { mosaicDetails, type PublishedRasters } from './services/published-rasters.ts'
import type { PublishedTables } from './services/published-tables.ts'
import { locationOf } from './services/published-tables.ts'
import type { Stores } from './services/stores.ts'
import type { WriteDeps } from './services/transaction.ts'
import { nowOf } from './services/transaction.ts'
import type { LayerSummaries } from './summaries/layer-summaries.ts'
import type { LayerSummary } from './summaries/layer-summary.ts'

/** Time between two rounds, in milliseconds. */
const roundMs = 30_000
/** Minimum time between two counts of a constantly changing table, in milliseconds. */
const measureRestMs = 300_000

/**
 * Time limit for counting the rows of a table and reading its bounds, in milliseconds. A slower view gets
 * neither.
 */
const measureMs = 20_000
/**
 * Maximum number of tables counted per round, so that alterations are not delayed by thousands of new layers.
 */
const measuredPerRound = 500

interface FollowDeps extends WriteDeps {
  stores: Pick<Stores, 'listAll' | 'open'>
  summaries: Pick<LayerSummaries, 'now'>
  tables: Pick<PublishedTables, 'discover'>
  rasters: Pick<PublishedRasters, 'describe' | 'discover' | 'listFiles' | 'readMosaic'>
  log: Logger
}

/**
 * Follows tables and rasters that were published in place: reads columns after an alteration, counts rows and
 * bounds after a change of the data, describes changed raster files, and publishes new tables of stores with
 * discovery.
 */
export class TableFollower {
  readonly #deps: FollowDeps
  readonly #closing = new AbortController()
  readonly #measuredAt = new Map<number, number>()
  #measuresLeft = 0
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()

  constructor(deps: FollowDeps) {
    this.#deps = deps
  }

  /** Starts the rounds. */
  start(): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => {
      void this.follow().finally(() => this.start())
    }, roundMs).unref()
  }

  /** Runs one round, after the running one if there is one. */
  follow(): Promise<void> {
    this.#round = this.#round
      .then(() => this.#follow())
      .catch((error: unknown) => this.#warn(error, {}, 'published tables cannot be followed'))
    return this.#round
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort(new Error('The server stops'))
    // A running count ends with its connection.
    await orAborted(this.#round, this.#closing.signal).catch(() => undefined)
  }

  async #follow(): Promise<void> {
    this.#measuresLeft = measuredPerRound
    const { byId } = await this.#deps.summaries.now()
    const byStore = Map.groupBy(
      [...byId.values()].filter(({ inPlace }) => inPlace !== undefined),
      ({ storeId }) => storeId,
    )
    const rasters = new RasterRound(this.#deps.rasters, (summary, detailsOf) =>
      this.#saveRaster(summary, detailsOf),
    )
    for (const store of await this.#deps.stores.listAll()) {
      const layers = byStore.get(store.id) ?? []
      const isFollowed = layers.length > 0 || store.discovery !== undefined
      if (!isFollowed || !store.isEnabled || this.#closing.signal.aborted) continue
      try {
        if (isCoverageStoreType(store.type)) await this.#followRasters(rasters, store, layers)
        else await this.#followStore(store, layers)
      } catch (error) {
        this.#warn(
          error,
          { store: `${store.workspace}:${store.name}` },
          'what is published of a store cannot be read',
        )
      }
    }
  }

  async #followRasters(
    rasters: RasterRound,
    store: StoreRecord,
    layers: readonly LayerSummary[],
  ): Promise<void> {
    if (store.type === mosaicType) {
      for (const layer of layers) await this.#followMosaic(store, layer)
      return
    }
    const files = await rasters.filesOf(store)
    for (const layer of layers) {
      const file = files.get(layer.nativeName)
      if (file === undefined || this.#closing.signal.aborted) continue
      try {
        await rasters.follow(layer, file)
      } catch (error) {
        this.#warn(error, { layer: layer.qualifiedName }, 'a published raster cannot be read')
      }
    }
    await this.#deps.rasters.discover(store)
  }

  async #followMosaic(store: StoreRecord, summary: LayerSummary): Promise<void> {
    const facts = await this.#deps.rasters.readMosaic(store, summary.inPlace?.columnsMark)
    if (facts === undefined) return
    await this.#saveRaster(summary, ({ details }) => ({
      ...without(details, 'envelope', 'times', 'srs', 'crs'),
      ...mosaicDetails(facts),
      raster: facts.raster ?? details.raster,
    }))
  }

  async #saveRaster({ id }: LayerSummary, detailsOf: (layer: LayerRecord) => LayerDetails): Promise<void> {
    const layer = await findLayerById(this.#deps.database.kysely, id)
    if (layer !== undefined) await this.#save(layer, detailsOf(layer))
  }

  async #followStore(store: StoreRecord, layers: readonly LayerSummary[]): Promise<void> {
    const opened = await this.#deps.stores.open(store)
    const summaries = (await opened.summarizeTables?.()) ?? []
    const tables = new Map(summaries.map((table) => [table.name, table]))
    for (const layer of layers) {
      const table = tables.get(layer.nativeName)
      if (table === undefined || this.#closing.signal.aborted) continue
      try {
        await this.#followLayer(opened, layer, table)
      } catch (error) {
        this.#warn(error, { layer: layer.qualifiedName }, 'a published table cannot be read')
      }
    }
    if (store.discovery !== undefined) await this.#deps.tables.discover(store, summaries)
  }

  async #followLayer(
    opened: Awaited<ReturnType<Stores['open']>>,
    summary: LayerSummary,
    table: TableSummary,
  ): Promise<void> {
    const { inPlace } = summary
    if (inPlace === undefined) return
    const isAltered = inPlace.columnsMark !== table.columnsMark
    const isMeasured =
      inPlace.measuredVersion === summary.version ||
      (inPlace.measuredVersion !== undefined && summary.versionCause !== 'outside')
    if (!isAltered && (isMeasured || !this.#mayMeasure(summary))) return
    const layer = await findLayerById(this.#deps.database.kysely, summary.id)
    if (layer === undefined) return
    const description = await opened.findTable(table.name, { readMs: measureMs })
    if (description === undefined) return
    await this.#save(layer, detailsAfter(layer, description, { ...inPlace, columnsMark: table.columnsMark }))
  }

  #warn(error: unknown, subject: { store?: string; layer?: string }, message: string): void {
    if (!this.#closing.signal.aborted) this.#deps.log.warn({ err: error, ...subject }, message)
  }

  #mayMeasure({ id }: Pick<LayerSummary, 'id'>): boolean {
    const now = performance.now()
    if (this.#measuresLeft === 0) return false
    if (now - (this.#measuredAt.get(id) ?? Number.NEGATIVE_INFINITY) < measureRestMs) return false
    this.#measuresLeft -= 1
    this.#measuredAt.set(id, now)
    return true
  }

  /** Saves the details, unless the layer was changed meanwhile; then the next round reads it again. */
  async #save(layer: LayerRecord, details: LayerDetails): Promise<void> {
    const { database, clock } = this.#deps
    await database.transaction(async (db) => {
      const present = await findLayerById(db, layer.id)
      if (present?.version !== layer.version) return
      await updateLayer(db, { ...layer, details }, { at: nowOf(clock), cause: 'outside' })
    })
  }
}

/** Returns the details of a layer after its table was read again. Metadata and style are unchanged. */
function detailsAfter(layer: LayerRecord, table: TableDescription, inPlace: InPlace): LayerDetails {
  const { schema: before, srs } = layer.details
  const titles = new Map(before.attributes.map(({ name, title }) => [name, title]))
  const schema = withTitles(table.schema, (name, title) => title ?? titles.get(name))
  const altered = [...(inPlace.altered ?? []), ...alterations(before, schema)]
  const declared = table.schema.geometry?.crs === undefined ? srs : undefined
  return {
    ...without(layer.details, 'envelope', 'featureCount', 'srs', 'crs'),
    ...locationOf(table, declared),
    schema,
    featureCount: table.featureCount,
    inPlace: {
      ...inPlace,
      measuredVersion: layer.version + 1,
      altered: altered.length === 0 ? undefined : [...new Set(altered)],
    },
  }
}

/** Describes columns that were dropped or have another type. */
function alterations(before: Schema, after: Schema): string[] {
  const types = new Map(after.attributes.map(({ name, type }) => [name, type]))
  const texts = before.attributes.flatMap(({ name, type }) => {
    const now = types.get(name)
    if (now === undefined) return [`Column "${name}" was dropped or renamed.`]
    return now === type ? [] : [`Column "${name}" has type ${now} instead of ${type}.`]
  })
  const [old, present] = [before.geometry, after.geometry]
  if (old !== undefined && present === undefined)
    texts.push(`Geometry column "${old.name}" was dropped or renamed.`)
  return texts
}
