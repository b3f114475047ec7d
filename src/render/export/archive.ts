import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'

/** Formats of tile exports. */
export const exportFormats = ['mbtiles', 'pmtiles'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** Metadata of an archive of tiles. Plain data. */
export interface ArchiveFacts {
  name: string
  description?: string
  minZoom: number
  maxZoom: number
  /** West, south, east, north in degrees. */
  bounds: [number, number, number, number]
  layer: { id: string; fields: Record<string, string> }
  /** Version of the layer for all tiles. */
  version: number
}

/** A tile as sent, compressed by gzip. Plain data. */
export interface ArchivedTile {
  tile: TileAddress
  bytes: Uint8Array
}

/** Writes one file of WebMercatorQuad tiles. Tiles arrive zoom by zoom, along a Hilbert curve in each. */
export interface ArchiveWriter {
  /** Returns the size of the file so far. */
  add(tiles: readonly ArchivedTile[]): number
  /** Returns the size of the complete file. */
  finish(facts: ArchiveFacts): number
  /** Removes the incomplete file. */
  discard(): void
}

/** Returns the layer description that readers of MBTiles and PMTiles expect. */
export function vectorLayers({ layer: { id, fields }, minZoom, maxZoom }: ArchiveFacts) {
  return [{ id, fields, minzoom: minZoom, maxzoom: maxZoom }]
}

/** Returns the initial view: longitude, latitude, zoom. */
export function centerOf({ bounds, minZoom }: ArchiveFacts): [number, number, number] {
  const [west, south, east, north] = bounds
  return [(west + east) / 2, (south + north) / 2, minZoom]
}
