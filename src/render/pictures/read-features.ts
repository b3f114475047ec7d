import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { Dimension } from '../../styles/index.ts'

/** A feature of a vector tile, in units of the tile. */
export interface DecodedFeature {
  dimension: Dimension
  properties: Readonly<Record<string, unknown>>
  id: string | undefined
  /** Points, lines or rings. */
  parts: { x: number; y: number }[][]
  extent: number
}

const maxTileBytes = 64 << 20
const dimensions: readonly (Dimension | undefined)[] = [undefined, 0, 1, 2]

/** Yields the features of a stored tile, which is compressed by gzip. */
export function* readFeatures(tile: Uint8Array): Generator<DecodedFeature> {
  if (tile.length === 0) return
  const { layers } = new VectorTile(new PbfReader(gunzipSync(tile, { maxOutputLength: maxTileBytes })))
  for (const layer of Object.values(layers)) {
    for (let index = 0; index < layer.length; index += 1) {
      const feature = layer.feature(index)
      const dimension = dimensions[feature.type]
      if (dimension === undefined) continue
      const { properties, id, extent } = feature
      yield {
        dimension,
        properties,
        extent,
        parts: feature.loadGeometry(),
        id: id === undefined ? undefined : String(id),
      }
    }
  }
}

/** Number of parts of 360 degrees that are checked for features. */
const cells = 1024

/** Returns the range of longitudes outside of the widest gap; see `Pictures.span`. */
export function spanOfTile(tile: Uint8Array): [number, number] | undefined {
  const filled = new Uint8Array(cells)
  for (const { parts, extent } of readFeatures(tile)) {
    for (const part of parts) {
      const xs = part.map(({ x }) => (Math.min(extent, Math.max(0, x)) / extent) * cells)
      const from = xs.reduce((a, b) => Math.min(a, b), cells)
      const to = xs.reduce((a, b) => Math.max(a, b), 0)
      filled.fill(1, Math.floor(from), Math.min(cells, Math.floor(to) + 1))
    }
  }
  const first = filled.indexOf(1)
  if (first < 0) return undefined
  let [widest, end] = [0, first]
  for (let at = first + 1, gap = 0; at <= first + cells; at += 1) {
    if (filled[at % cells] === 0) gap += 1
    else {
      if (gap > widest) [widest, end] = [gap, at]
      gap = 0
    }
  }
  const west = (end % cells) / cells
  return [west, west + (cells - widest) / cells]
}
