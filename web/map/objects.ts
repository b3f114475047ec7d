import type { ExpressionSpecification, FilterSpecification, LayerSpecification } from 'maplibre-gl'
import { colourOf, hatchingLayer, signsLayer } from './change-marks.ts'
import type { DataStyle } from './combined-style.ts'

/** A GeoJSON feature, as the server gives it. */
export interface MapObject {
  id?: string | number
  geometry: unknown
  properties: Record<string, unknown> | null
}

/** West, south, east, north in degrees. */
export type Bounds = readonly number[]

interface Drawn {
  /** Name of the source, and beginning of the names of its layers. */
  name: string
  objects: readonly MapObject[]
}

/** Colours independent of the theme: an object looks the same in dark mode. */
const fill = '#2b8490'
const edge = { light: '#00505c', dark: '#82d6de' }
const chosen = { light: '#15201e', dark: '#ffffff' }

function filterOf(type: 'Polygon' | 'LineString' | 'Point'): ExpressionSpecification {
  return ['==', ['geometry-type'], type]
}

function sourceOf({ name, objects }: Drawn): DataStyle['sources'] {
  return { [name]: { type: 'geojson', data: { type: 'FeatureCollection', features: [...objects] } as never } }
}

/** Style of supplied objects, in the data colour. */
export function objectsStyle(drawn: Drawn, isDark: boolean): DataStyle {
  const { name } = drawn
  const line = isDark ? edge.dark : edge.light
  return {
    sources: sourceOf(drawn),
    layers: [
      {
        id: `${name}-areas`,
        type: 'fill',
        source: name,
        filter: filterOf('Polygon'),
        paint: { 'fill-color': colourOf(fill), 'fill-opacity': 0.35 },
      },
      {
        id: `${name}-lines`,
        type: 'line',
        source: name,
        filter: notPoint,
        paint: { 'line-color': colourOf(line), 'line-width': 1.5 },
      },
      {
        id: `${name}-points`,
        type: 'circle',
        source: name,
        filter: filterOf('Point'),
        paint: {
          'circle-color': colourOf(line),
          'circle-radius': 4,
          'circle-stroke-color': isDark ? '#0f1514' : '#ffffff',
          'circle-stroke-width': 1,
        },
      },
      hatchingLayer(name),
    ],
    onTop: [signsLayer(name)],
  }
}

/** Returns the style of a layer with these rows instead of its tiles. */
export function withRows(style: DataStyle, name: string, objects: readonly MapObject[]): DataStyle {
  const layers = style.layers.map((one): LayerSpecification => {
    if (!('source' in one)) return one
    const { 'source-layer': _tiles, ...rest } = one as LayerSpecification & { 'source-layer'?: string }
    return { ...rest, source: name } as LayerSpecification
  })
  return { ...style, sources: sourceOf({ name, objects }), layers }
}

/** The style of a layer, whose tiles show what the filter leaves. */
export function withFilter(style: DataStyle, filter: string): DataStyle {
  const sources = Object.entries(style.sources).map(([name, source]) => {
    if (source.type !== 'vector' || source.url === undefined) return [name, source]
    const sign = source.url.includes('?') ? '&' : '?'
    return [name, { ...source, url: `${source.url}${sign}filter=${encodeURIComponent(filter)}` }]
  })
  return { ...style, sources: Object.fromEntries(sources) as DataStyle['sources'] }
}

const notPoint: FilterSpecification = ['!=', ['geometry-type'], 'Point']

/** Style of selected objects, on the map and in a table: a dark edge with a light outline. */
export function chosenStyle(drawn: Drawn, isDark: boolean): DataStyle {
  const { name } = drawn
  const [ink, halo] = isDark ? [chosen.dark, chosen.light] : [chosen.light, chosen.dark]
  return {
    sources: sourceOf(drawn),
    layers: [
      {
        id: `${name}-halo`,
        type: 'line',
        source: name,
        filter: notPoint,
        paint: { 'line-color': halo, 'line-width': 5, 'line-opacity': 0.8 },
      },
      {
        id: `${name}-edge`,
        type: 'line',
        source: name,
        filter: notPoint,
        paint: { 'line-color': ink, 'line-width': 2.5 },
      },
      {
        id: `${name}-ring`,
        type: 'circle',
        source: name,
        filter: filterOf('Point'),
        paint: {
          'circle-color': 'transparent',
          'circle-radius': 9,
          'circle-stroke-color': ink,
          'circle-stroke-width': 2.5,
        },
      },
    ],
  }
}
