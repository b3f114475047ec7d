import type { Dataset, FileKind } from './data.ts'

export const targets = ['PostGIS', 'GeoPackage'] as const
export type Target = (typeof targets)[number]

/** One load and its target. */
export interface LoadCase {
  name: string
  dataset: Dataset
  kind: FileKind
  target: Target
  /** Required speed-up over the peer, as a factor. */
  targetRatio: number
  /** Transformations as the importer's interface takes them. */
  transforms: Record<string, unknown>[]
}

const toPoints = [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }]
const chain = [
  { type: 'AttributeRemapTransform', field: 'people', target: 'java.lang.Long' },
  { type: 'IntegerFieldToDateTransform', field: 'year' },
  { type: 'ReprojectTransform', target: 'EPSG:3857' },
]

const sources: [Dataset, FileKind][] = [
  ['points', 'shapefile'],
  ['points', 'geopackage'],
  ['points', 'flatgeobuf'],
  ['points', 'geojson'],
  ['points', 'csv'],
  ['polygons', 'shapefile'],
  ['polygons', 'geopackage'],
  ['polygons', 'flatgeobuf'],
  ['polygons', 'geojson'],
  ['points', 'kml'],
  ['polygons', 'kml'],
  ['points', 'geoparquet'],
  ['polygons', 'geoparquet'],
]

export const loadCases: LoadCase[] = [
  ...targets.flatMap((target) =>
    sources.map(([dataset, kind]) => ({
      name: `${dataset}-${kind}-${target.toLowerCase()}`,
      dataset,
      kind,
      target,
      targetRatio: kind === 'geoparquet' ? 0 : target === 'PostGIS' ? 2 : 3,
      transforms: kind === 'csv' ? toPoints : [],
    })),
  ),
  {
    name: 'points-shapefile-postgis-chain',
    dataset: 'points',
    kind: 'shapefile',
    target: 'PostGIS',
    targetRatio: 0,
    transforms: chain,
  },
]
