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

/** Colours that do not turn with the theme: an object is the same one in the dark. */
const fill = '#2b8490'
const edge = { light: '#00505c', dark: '#82d6de' }
const chosen = { light: '#15201e', dark: '#ffffff' }

function filterOf(type: 'Polygon' | 'LineString' | 'Point'): ExpressionSpecification {
  return ['==', ['geometry-type'], type]
}

function sourceOf({ name, objects }: Drawn): DataStyle['sources'] {
  return { [name]: { type: 'geojson', data: { type: 'FeatureCollection', features: [...objects] } as never } }
}

/** Objects that were handed in, in the colour of data. */
export function objectsStyle(drawn: Drawn, isDark: boolean): DataStyle {
  const { name } = drawn
  const line = isDark ? edge.dark : edge.light
  return {
    sources: sourceOf(drawn),
    layers: [
      {
        ...{ id: `${name}-areas`, type: 'fill', source: name, filter: filterOf('Polygon') },
        paint: { 'fill-color': colourOf(fill), 'fill-opacity': 0.35 },
      },
      {
        ...{ id: `${name}-lines`, type: 'line', source: name, filter: notPoint },
        paint: { 'line-color': colourOf(line), 'line-width': 1.5 },
      },
      {
        ...{ id: `${name}-points`, type: 'circle', source: name, filter: filterOf('Point') },
        paint: {
          ...{ 'circle-color': colourOf(line), 'circle-radius': 4 },
          ...{ 'circle-stroke-color': isDark ? '#0f1514' : '#ffffff', 'circle-stroke-width': 1 },
        },
      },
      hatchingLayer(name),
    ],
    onTop: [signsLayer(name)],
  }
}

/** The style of a layer, by which these rows of it are drawn in place of its tiles. */
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

/** What is chosen, on the map and in a table: a strong edge with a light one around it. */
export function chosenStyle(drawn: Drawn, isDark: boolean): DataStyle {
  const { name } = drawn
  const [ink, halo] = isDark ? [chosen.dark, chosen.light] : [chosen.light, chosen.dark]
  return {
    sources: sourceOf(drawn),
    layers: [
      {
        ...{ id: `${name}-halo`, type: 'line', source: name, filter: notPoint },
        paint: { 'line-color': halo, 'line-width': 5, 'line-opacity': 0.8 },
      },
      {
        ...{ id: `${name}-edge`, type: 'line', source: name, filter: notPoint },
        paint: { 'line-color': ink, 'line-width': 2.5 },
      },
      {
        ...{ id: `${name}-ring`, type: 'circle', source: name, filter: filterOf('Point') },
        paint: {
          ...{ 'circle-color': 'transparent', 'circle-radius': 9 },
          ...{ 'circle-stroke-color': ink, 'circle-stroke-width': 2.5 },
        },
      },
    ],
  }
}
