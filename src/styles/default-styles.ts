import type { GeometryType } from '../geo/schema.ts'

/** Returns the default style of a layer, by its geometry type. */
export function defaultStyleName(geometry: GeometryType | undefined, kind: 'vector' | 'raster'): string {
  if (kind === 'raster') return 'raster'
  if (geometry === 'Point' || geometry === 'MultiPoint') return 'point'
  if (geometry === 'LineString' || geometry === 'MultiLineString') return 'line'
  if (geometry === 'Polygon' || geometry === 'MultiPolygon') return 'polygon'
  return geometry === undefined ? 'point' : 'generic'
}

const blue = '#2b6cb0'
const white = '#ffffff'

const circle = {
  id: 'point',
  type: 'circle',
  source: 'layer',
  filter: ['==', ['geometry-type'], 'Point'],
  paint: { 'circle-radius': 5, 'circle-color': blue, 'circle-stroke-color': white, 'circle-stroke-width': 1 },
}
const line = {
  id: 'line',
  type: 'line',
  source: 'layer',
  filter: ['==', ['geometry-type'], 'LineString'],
  paint: { 'line-color': blue, 'line-width': 1.5 },
}
const fill = {
  id: 'polygon',
  type: 'fill',
  source: 'layer',
  filter: ['==', ['geometry-type'], 'Polygon'],
  paint: { 'fill-color': blue, 'fill-opacity': 0.4, 'fill-outline-color': blue },
}
const raster = { id: 'raster', type: 'raster', source: 'layer' }

function mapLibre(name: string, layers: object[]): string {
  return JSON.stringify({ version: 8, name, sources: {}, layers })
}

/** The styles of a new server, as MapLibre style documents; the source `layer` stands for the drawn layer. */
export const defaultStyles: { name: string; format: 'maplibre'; document: string }[] = [
  { name: 'point', format: 'maplibre', document: mapLibre('point', [circle]) },
  { name: 'line', format: 'maplibre', document: mapLibre('line', [line]) },
  { name: 'polygon', format: 'maplibre', document: mapLibre('polygon', [fill]) },
  { name: 'generic', format: 'maplibre', document: mapLibre('generic', [fill, line, circle]) },
  { name: 'raster', format: 'maplibre', document: mapLibre('raster', [raster]) },
]
