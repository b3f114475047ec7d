/** Theme of the page around a map. */
export type Theme = 'light' | 'dark'

/** Colours by their roles, the same as in the style sheet of the pages. */
const colors = {
  light: {
    water: '#dfe7e8',
    land: '#f8f9f7',
    coast: '#b4c2c1',
    border: '#cbd3d1',
    graticule: '#d0dadb',
    text: '#566461',
  },
  dark: {
    water: '#0d1415',
    land: '#1d2625',
    coast: '#40504e',
    border: '#34413f',
    graticule: '#1b2627',
    text: '#94a29e',
  },
} as const satisfies Record<Theme, Record<string, string>>

/** The base map's layers above the data: data are inserted before the first layer with this name. */
export const labelsLayer = 'background-labels'

const line = { 'line-cap': 'round', 'line-join': 'round' } as const
/** Northern limit of web mercator, in degrees. */
const northernmost = 85.05

/** Addresses that a style contains. */
export interface BackgroundStyleOptions {
  /** With `{z}`, `{x}` and `{y}`; absent: only water is drawn. */
  tiles?: string
  maxZoom: number
  language: 'en' | 'de'
}

/** A MapLibre style of the background map: no roads, no relief, two greys, so that data are the only colour. */
export function backgroundStyle(theme: Theme, { tiles, maxZoom, language }: BackgroundStyleOptions): object {
  const tone = colors[theme]
  const base = {
    version: 8,
    name: `Background, ${theme}`,
    metadata: { 'terrane:data-before': labelsLayer },
    layers: [{ id: 'background-water', type: 'background', paint: { 'background-color': tone.water } }],
  }
  if (tiles === undefined) return { ...base, sources: {} }
  return {
    ...base,
    sources: {
      background: { type: 'vector', tiles: [tiles], maxzoom: maxZoom, attribution: 'Natural Earth' },
      'background-graticule': { type: 'geojson', data: graticule() },
    },
    layers: [...base.layers, ...areas(tone), labels(theme, language)],
  }
}

function areas(tone: (typeof colors)[Theme]): object[] {
  const source = { source: 'background' }
  const lineOf = (kind: 'coast' | 'border', color: string) => ({
    id: `background-${kind}`,
    type: 'line',
    ...source,
    'source-layer': 'lines',
    layout: line,
    filter: ['==', ['get', 'kind'], kind],
    paint: { 'line-color': color, 'line-width': 0.7 },
  })
  return [
    // Without antialiasing there are no gaps between adjacent tiles; the coast line hides the jagged edges.
    {
      id: 'background-land',
      type: 'fill',
      ...source,
      'source-layer': 'land',
      paint: { 'fill-color': tone.land, 'fill-antialias': false },
    },
    lineOf('coast', tone.coast),
    lineOf('border', tone.border),
    ...steps.map(({ degrees, minzoom, maxzoom }) => ({
      id: `background-graticule-${degrees}`,
      type: 'line',
      source: 'background-graticule',
      minzoom,
      maxzoom,
      filter: ['==', ['get', 'degrees'], degrees],
      paint: { 'line-color': tone.graticule, 'line-width': 0.5 },
    })),
  ]
}

function labels(theme: Theme, language: 'en' | 'de'): object {
  const tone = colors[theme]
  const name = language === 'de' ? ['coalesce', ['get', 'name_de'], ['get', 'name']] : ['get', 'name']
  return {
    id: labelsLayer,
    type: 'symbol',
    source: 'background',
    'source-layer': 'labels',
    minzoom: 1.5,
    filter: ['<=', ['get', 'zoom'], ['+', ['zoom'], 1]],
    layout: {
      'text-field': name,
      'text-font': ['Plex Sans'],
      'text-size': ['interpolate', ['linear'], ['zoom'], 2, 11, 6, 14],
      'text-max-width': 7,
      'text-padding': 6,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: { 'text-color': tone.text, 'text-halo-color': tone.land, 'text-halo-width': 2.5 },
  }
}

const steps = [
  { degrees: 30, minzoom: 0, maxzoom: 3 },
  { degrees: 10, minzoom: 3, maxzoom: 5 },
  { degrees: 5, minzoom: 5, maxzoom: undefined },
] as const

/** Meridians and parallels, which are straight on this map. */
function graticule(): object {
  const features = steps.flatMap(({ degrees }) => {
    const [west, east] = [-180, 180]
    const meridians = range(west, east, degrees).map((x) => [
      [x, -northernmost],
      [x, northernmost],
    ])
    const parallels = range(-90 + degrees, 90 - degrees, degrees).map((y) => [
      [west, y],
      [east, y],
    ])
    const coordinates = [...meridians, ...parallels]
    return { type: 'Feature', properties: { degrees }, geometry: { type: 'MultiLineString', coordinates } }
  })
  return { type: 'FeatureCollection', features }
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step)
}
