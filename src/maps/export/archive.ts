import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'

/** What a layer's tiles can be exported as. */
export const exportFormats = ['mbtiles', 'pmtiles'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** What an archive of tiles says of itself. Plain data. */
export interface ArchiveFacts {
  name: string
  description?: string
  minZoom: number
  maxZoom: number
  /** West, south, east, north in degrees. */
  bounds: [number, number, number, number]
  layer: { id: string; fields: Record<string, string> }
  /** Of the layer, at which all tiles are. */
  version: number
}

/** A tile as it is sent, compressed by gzip. Plain data. */
export interface ArchivedTile {
  tile: TileAddress
  bytes: Uint8Array
}

/** Writes one file of tiles of WebMercatorQuad. They come zoom by zoom, along a Hilbert curve in each. */
export interface ArchiveWriter {
  /** Gives the size of the file so far. */
  add(tiles: readonly ArchivedTile[]): number
  /** Gives the size of the whole file. */
  finish(facts: ArchiveFacts): number
  /** Removes what was written. */
  discard(): void
}

/** The layer of the tiles as readers of MBTiles and PMTiles want it told. */
export function vectorLayers({ layer: { id, fields }, minZoom, maxZoom }: ArchiveFacts) {
  return [{ id, fields, minzoom: minZoom, maxzoom: maxZoom }]
}

/** A place to look at first: longitude, latitude, zoom. */
export function centerOf({ bounds, minZoom }: ArchiveFacts): [number, number, number] {
  const [west, south, east, north] = bounds
  return [(west + east) / 2, (south + north) / 2, minZoom]
}
