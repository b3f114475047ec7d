import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { TileCounts } from '../../tiles/encode-tile.ts'
import type { TileThinning } from '../../tiles/thin/layer-thinning.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { WishedFilter } from './wished-filter.ts'

/** Of a table whose columns have other names than what is shown of them. */
export interface ShownColumns {
  /** The column that holds the id of the feature. */
  id: string
  /** What a column is shown as, by its name in the table. */
  names: Record<string, string>
}

/** Which tile is wanted of a table. Plain data: it crosses threads and processes. */
export interface TileWish {
  table: string
  /** Of the table. */
  crs: CrsDeclaration | string
  set: TileMatrixSetId
  tile: TileAddress
  /** Of the layer in the tile. */
  name: string
  /** Attributes that are shown; absent: all that a tile can hold. */
  attributes?: string[]
  /** Absent where the layer is so small that nothing has to be left out of any tile. */
  thinning?: TileThinning
  /** Where the table has rows, in its CRS, as far as that is known. */
  extent?: Envelope
  /** Of a copy: attributes are wanted and shown under these names. */
  columns?: ShownColumns
  /** Which rows are shown; absent: all. */
  filter?: WishedFilter
  /** A file with the rows of the table as they are. */
  rowFile?: string
}

/** Several tiles of one table, of which the rest is the same. Plain data. */
export interface TilesWish extends Omit<TileWish, 'tile'> {
  tiles: readonly TileAddress[]
}

/** A tile of one layer as it is sent. Plain data. */
export interface MadeTile {
  /** Compressed by gzip; empty where nothing is drawn. */
  bytes: Uint8Array
  counts: TileCounts
  /** The `text` of the table's state by a look that began when its rows had been read; absent where there was none. */
  seen?: string
  /** Whether it was made of the rows of `rowFile`, so that it is of their version whatever the state of the table is. */
  isOfRowFile?: true
}
