import type { Layers } from '../catalog/doors/layers.ts'
import type { LayerRecord } from '../catalog/records.ts'
import { notFound } from '../lib/errors.ts'
import type { MadeTile } from '../stores/reading/tile-wish.ts'
import type { TileAddress, TileMatrixSetId } from '../tiles/tile-matrix-sets.ts'

/** Which tile of a layer is wanted. */
export interface TileQuestion {
  set: TileMatrixSetId
  tile: TileAddress
  /** Attributes that are shown; absent: all that a tile can hold. */
  properties?: string[]
}

/** A tile of a layer at one version. */
export interface MapTile extends MadeTile {
  version: number
  /** Whether nobody else has changed the data meanwhile, as far as that can be told: else keep nothing by the version. */
  isCurrent: boolean
}

interface MapsParts {
  layers: Pick<Layers, 'versionOf' | 'openStoreOf'>
}

/** Maps of published layers. */
export class Maps {
  readonly #layers: MapsParts['layers']

  constructor({ layers }: MapsParts) {
    this.#layers = layers
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) with the reason where a layer can have no vector tiles. */
  async requireTiles(layer: LayerRecord): Promise<void> {
    const { srs, crs, schema } = layer.details
    if (schema.geometry === undefined || (srs ?? crs) === undefined) throw noTiles(layer)
  }

  /** Throws as `requireTiles`. */
  async tile(
    layer: LayerRecord,
    { set, tile, properties }: TileQuestion,
    signal: AbortSignal,
  ): Promise<MapTile> {
    const { srs, crs: declared, schema } = layer.details
    const crs = srs ?? declared
    if (schema.geometry === undefined || crs === undefined) throw noTiles(layer)
    const { version, isCurrent } = await this.#layers.versionOf(layer)
    const store = await this.#layers.openStoreOf(layer)
    const attributes = properties === undefined ? {} : { attributes: properties }
    const wish = { table: layer.nativeName, crs, set, tile, name: layer.name, ...attributes }
    return { version, isCurrent, ...(await store.writeTile(wish, signal)) }
  }
}

function noTiles({ workspace, name, details: { kind, schema } }: LayerRecord): Error {
  const lack =
    kind === 'raster'
      ? 'is a coverage'
      : schema.geometry === undefined
        ? 'has no geometry'
        : 'has no known coordinate reference system'
  return notFound('no-tiles', `Layer "${workspace}:${name}" ${lack}, so there are no vector tiles of it`)
}
