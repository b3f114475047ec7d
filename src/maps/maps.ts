import type { Layers } from '../catalog/doors/layers.ts'
import type { LayerRecord } from '../catalog/records.ts'
import type { MadeTile } from '../stores/reading/tile-wish.ts'
import type { TileAddress, TileMatrixSetId } from '../tiles/tile-matrix-sets.ts'
import type { TileSources } from './sources/tile-sources.ts'

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
  layers: Pick<Layers, 'versionOf'>
  sources: TileSources
}

/** Maps of published layers. */
export class Maps {
  readonly #layers: MapsParts['layers']
  readonly #sources: TileSources

  constructor({ layers, sources }: MapsParts) {
    this.#layers = layers
    this.#sources = sources
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) with the reason where a layer can have no vector tiles. */
  async requireTiles(layer: LayerRecord): Promise<void> {
    this.#sources.requireTiles(layer)
  }

  /** Throws as `requireTiles`. */
  async tile(
    layer: LayerRecord,
    { set, tile, properties }: TileQuestion,
    signal: AbortSignal,
  ): Promise<MapTile> {
    const { version, isCurrent } = await this.#layers.versionOf(layer)
    const { store, ...source } = await this.#sources.of(layer, set, tile.z, signal)
    const attributes = properties === undefined ? {} : { attributes: properties }
    const wish = { ...source, set, tile, name: layer.name, ...attributes }
    return { version, isCurrent, ...(await store.writeTile(wish, signal)) }
  }
}
