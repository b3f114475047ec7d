import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { TileCounts } from '../../tiles/encode-tile.ts'
import type { TileGeneralization } from '../../tiles/generalize/layer-generalization.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { RequestFilter } from './request-filter.ts'

/** A request for a vector tile of one layer. Plain data: it passes from the HTTP handler to the worker. */
export interface TileRequest {
  set: TileMatrixSetId
  tile: TileAddress
  /** Attributes of the features, by the layer's names; absent: all supported in a tile. */
  attributes?: string[] | undefined
  /** Selects the features, by the layer's names; absent: all. */
  filter?: RequestFilter | undefined
}

/** Maps columns of a table to shown properties with other names. */
export interface ShownColumns {
  /** The column with the feature id. */
  id: string
  /** Public name of each column, by its name in the table. */
  names: Record<string, string>
}

/** The table from which the tiles of a layer are made. Plain data. */
export interface TileSource {
  table: string
  /** CRS of the table. */
  crs: CrsDeclaration | string
  /** Name of the layer in the tile. */
  name: string
  /** Absent if the layer is so small that no tile must omit features. */
  thinning?: TileGeneralization
  /** Extent of the rows in the CRS of the table, as far as known. */
  extent?: Envelope
  /** For a copy: attributes are requested and shown by these names. */
  columns?: ShownColumns
  /** Path of a file with the untransformed rows of the table. */
  rowFile?: string
}

/** A tile of one layer as sent to the client. Plain data. */
export interface Tile<Counts = TileCounts> {
  /** Compressed; empty if nothing is drawn. */
  bytes: Uint8Array
  counts: Counts
  /** The `text` of the table's state, read after its rows; absent if not read. */
  seen?: string
  /** True if its rows are those of the requested version, whatever the state of the table: of a row file. */
  isOfVersion?: true
}
