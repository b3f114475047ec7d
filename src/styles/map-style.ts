import { DistinctNames } from '../core/text/free-name.ts'
import type { Node } from './maplibre/read-values.ts'
import { writeLayers } from './maplibre/write-maplibre.ts'
import type { StyleAttributeType } from './maplibre/write-values.ts'
import type { Dimension, Style } from './model.ts'

/** Type of an attribute in tiles. */
export type TypeInTiles = StyleAttributeType

/** A layer of a map, and how it is drawn. */
export interface MappedLayer {
  /** Name of the source, and of the layer in its tiles. */
  name: string
  kind: 'vector' | 'raster'
  style: Style
  /** Types of its attributes in tiles. */
  types: ReadonlyMap<string, TypeInTiles>
  /** Dimension of its geometry; undefined if it may have any. */
  dimension: Dimension | undefined
  /** A source of the style specification. */
  source: object
}

/** Properties of a map other than its layers. */
export interface StyleMapFrame {
  name: string
  center?: readonly [longitude: number, latitude: number, zoom: number]
}

/** Writes a complete MapLibre style with sources; lists what it cannot express of the styles. */
export function writeMapStyle(mapped: readonly MappedLayer[], { name, center }: StyleMapFrame) {
  const ids = new DistinctNames({ separator: ' ', first: 2 })
  const lost: string[] = []
  const layers = mapped.flatMap((one) => {
    const { layers: drawn, lost: left } = one.kind === 'raster' ? rasterLayers(one) : vectorLayers(one)
    lost.push(...left)
    return drawn.map((layer) => ({ ...layer, id: ids.take(String(layer.id)) }))
  })
  const [longitude, latitude, zoom] = center ?? []
  return {
    version: 8 as const,
    name,
    metadata: lost.length === 0 ? undefined : { 'terrane:not-converted': [...new Set(lost)] },
    center: longitude === undefined || latitude === undefined ? undefined : [longitude, latitude],
    zoom,
    sources: Object.fromEntries(mapped.map((one) => [one.name, one.source])),
    layers,
  }
}

function vectorLayers({ name, style, types, dimension }: MappedLayer): { layers: Node[]; lost: string[] } {
  const drawn = { types, dimension }
  const { layers, lost } = writeLayers(style, drawn)
  const ofVectors = layers.filter(({ type }) => type !== 'raster')
  return { layers: ofVectors.map((layer) => ({ ...layer, source: name, 'source-layer': name })), lost }
}

/** Writes a layer of pictures, which the server draws with the colours, opacity and scales of the style. */
function rasterLayers({ name, style }: MappedLayer): { layers: Node[]; lost: string[] } {
  return { layers: [{ id: name, type: 'raster', source: name }], lost: style.lost }
}
