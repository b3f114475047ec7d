import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog, LayerRecord, VersionRecord } from '../../catalog/index.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { conflict, Failure, notFound } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { ServedStore, ShownColumns, StoreConnection, Tile, TileRequest } from '../../stores/index.ts'
import { ownStores } from '../../stores/registry.ts'
import type { SideTables } from '../sources/side-tables.ts'
import { copiedStateColumns, copiedStateTable } from './copied-state.ts'
import { StateCopies } from './state-copies.ts'

/** A layer at an earlier version, and the location of its rows. */
export interface EarlierLayer {
  /** The layer at that version; its table is in `store`. */
  layer: LayerRecord
  store: ServedStore
  connection: StoreConnection
  /** Present if the columns of the table have other names. */
  columns?: ShownColumns
  /** Path of the copy, if the rows are in one. */
  path?: string
}

interface PreviousVersionsDeps {
  catalog: Pick<Catalog, 'layers' | 'stores' | 'versions'>
  log: Pick<Logger, 'warn'>
  sides: Pick<SideTables, 'tile'>
  openStore(connection: StoreConnection): ServedStore
  root: string
  /** Maximum total size of copies, in bytes. */
  maxBytes: number
}

/** Time that a request waits for a copy that is being made. */
const longestWaitMs = 15_000
const sweepMs = 3_600_000
/** Time that background work waits for it. */
const longestCopyMs = 30 * 60_000
const pauseMs = 1000

/** Provides earlier versions of layers: from their files, or from a copy made in the background. */
export class PreviousVersions {
  readonly #deps: PreviousVersionsDeps
  readonly #copies: StateCopies
  #timer: NodeJS.Timeout | undefined

  constructor(deps: PreviousVersionsDeps) {
    this.#deps = deps
    this.#copies = new StateCopies(deps)
  }

  /** Regularly deletes copies that can no longer be requested. */
  async start(): Promise<void> {
    const sweep = (): Promise<void> =>
      this.#copies
        .sweep(() => this.#deps.catalog.versions.listKeptContents())
        .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'copies of versions were not removed'))
    this.#timer = setInterval(() => void sweep(), sweepMs).unref()
    await sweep()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#copies.close()
  }

  /**
   * Returns a layer at a version. Throws `Failure` for an unknown version (`not-found`) or one without stored
   * data (`conflict`).
   */
  async at(layer: LayerRecord, version: number, signal: AbortSignal): Promise<EarlierLayer> {
    const { versions, layers, stores } = this.#deps.catalog
    const versionSummary = await versions.get({ ...layer, layer }, version)
    const { details, storeId, nativeName } = versionSummary
    const then = { ...layer, details, storeId, nativeName }
    const present = async (): Promise<EarlierLayer> => ({
      layer: then,
      store: await layers.openStoreOf(then),
      connection: await stores.connection(await stores.get(storeId)),
    })
    if (version === layer.version) return present()
    const way = await versions.wayBack(versionSummary)
    if (way.kind === 'none')
      throw conflict('not-restorable', `Version ${version} cannot be read: ${way.reason}`)
    if (way.kind === 'present') return present()
    if (way.kind === 'files') return this.#ofFiles(then, versionSummary)
    return this.#ofCopy(then, versionSummary, way.path, signal)
  }

  /** Like `at`, and retries while the copy is being made. */
  async whenReady(layer: LayerRecord, version: number, signal: AbortSignal): Promise<EarlierLayer> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(longestCopyMs)])
    for (;;) {
      try {
        return await this.at(layer, version, limited)
      } catch (error) {
        const isBeingMade = error instanceof Failure && error.code === 'version-not-ready'
        if (!isBeingMade || limited.aborted) throw error
        await sleep(pauseMs, undefined, { signal: limited })
      }
    }
  }

  /** Returns a vector tile of WebMercatorQuad of a result of `at`. */
  async tile(
    { layer, store, columns, path }: EarlierLayer,
    request: Pick<TileRequest, 'tile' | 'attributes'>,
    signal: AbortSignal,
  ): Promise<Tile> {
    const { name, nativeName: table, details } = layer
    const crs = requireVectorTiles(layer)
    if (path === undefined)
      return store.writeTile({ table, crs, name }, { set: 'WebMercatorQuad', ...request }, signal)
    const rows = details.featureCount ?? Number.MAX_SAFE_INTEGER
    return this.#deps.sides.tile({ path, table, name, crs, rows, columns }, request, signal)
  }

  async #ofFiles(layer: LayerRecord, { content: { files } }: VersionRecord): Promise<EarlierLayer> {
    const { stores } = this.#deps.catalog
    if (files === undefined || layer.details.kind === 'raster')
      throw conflict(
        'not-restorable',
        'Earlier versions of a raster cannot be drawn: restore the version first',
      )
    const connection = stores.keptConnection(files)
    return { layer, connection, store: this.#deps.openStore(connection) }
  }

  async #ofCopy(
    layer: LayerRecord,
    { version, content }: VersionRecord,
    path: NonNullable<
      Extract<Awaited<ReturnType<Catalog['versions']['wayBack']>>, { kind: 'table' }>
    >['path'],
    signal: AbortSignal,
  ): Promise<EarlierLayer> {
    const { stores } = this.#deps.catalog
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)])
    const made = this.#copies.of(content.id, async () => {
      const connection = await stores.connection(await stores.get(layer.storeId))
      return { connection, table: layer.nativeName, path }
    })
    const file = await orAborted(made, waiting).catch((error: unknown) => {
      throw waiting.aborted && !signal.aborted ? notReady(version) : error
    })
    const state = path.at(-1)
    const featureCount = state?.table.featureCount
    const connection = { type: ownStores.file.type, parameters: { path: file } }
    return {
      connection,
      layer: {
        ...layer,
        nativeName: copiedStateTable,
        details: { ...layer.details, featureCount: featureCount ?? layer.details.featureCount },
      },
      store: this.#deps.openStore(connection),
      columns: copiedStateColumns(state?.table.schema ?? layer.details.schema),
      path: file,
    }
  }
}

/** Returns the CRS of the layer; throws `Failure` (`no-tiles`) if the layer had none, or no geometry. */
export function requireVectorTiles({ workspace, name, details }: LayerRecord): CrsDeclaration | string {
  const crs = details.srs ?? details.crs
  if (details.schema.geometry !== undefined && crs !== undefined) return crs
  throw notFound('no-tiles', `Layer "${workspace}:${name}" had no geometry with a known CRS`)
}

function notReady(version: number): Failure {
  const text = `The copy of version ${version} is not ready yet`
  return new Failure('unavailable', 'version-not-ready', text, { retryAfterSeconds: 10 })
}
