import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { TileCounts } from '../../tiles/encode-tile.ts'
import type { TileGeneralization } from '../../tiles/generalize/layer-generalization.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { RequestFilter } from './request-filter.ts'

/** Maps columns of a table to shown properties with other names. */
export interface ShownColumns {
  /** The column with the feature id. */
  id: string
  /** Public name of each column, by its name in the table. */
  names: Record<string, string>
}

/** A request for a tile of a table. Plain data: it is passed between threads and processes. */
export interface TableTileRequest {
  table: string
  /** CRS of the table. */
  crs: CrsDeclaration | string
  set: TileMatrixSetId
  tile: TileAddress
  /** Name of the layer in the tile. */
  name: string
  /** Shown attributes; absent: all supported in a tile. */
  attributes?: string[]
  /** Absent if the layer is so small that no tile must omit features. */
  thinning?: TileGeneralization
  /** Extent of the rows in the CRS of the table, as far as known. */
  extent?: Envelope
  /** For a copy: attributes are requested and shown by these names. */
  columns?: ShownColumns
  /** Selects the rows; absent: all. */
  filter?: RequestFilter
  /** Path of a file with the untransformed rows of the table. */
  rowFile?: string
}

/** Several tiles of one table with otherwise equal requests. Plain data. */
export interface TableTilesRequest extends Omit<TableTileRequest, 'tile'> {
  tiles: readonly TileAddress[]
}

/** A tile of one layer as sent to the client. Plain data. */
export interface EncodedTile {
  /** Compressed with gzip; empty if nothing is drawn. */
  bytes: Uint8Array
  counts: TileCounts
  /** The `text` of the table's state, read after its rows; absent if not read. */
  seen?: string
  /**
   * Set if the tile contains the rows of `rowFile`, and therefore their version, whatever the state of the
   * table.
   */
  isOfRowFile?: true
}
