import type { Calls } from '../../api/openapi.d.ts'

/** Maximum number of layers on the map: more are hard to distinguish, and slow. */
const maxOnMap = 8

type Layer = Calls['GET /rest/catalogue/layers']['answer']['layers'][number]
type Mapped = Pick<Layer, 'workspace' | 'name' | 'kind' | 'geometryType' | 'thumbnail' | 'problem' | 'bounds'>
type Bounds = [west: number, south: number, east: number, north: number]

/** Content of the start page's map. */
export interface MappedLayers {
  /** `workspace:name`, the lowest first. */
  ids: readonly string[]
  /** Common extent in degrees; absent if it is unknown. */
  bounds?: Bounds
}

/** All of few layers, and none of many. `total`: how many there are. */
export function layersOnMap(total: number, layers: readonly Mapped[]): MappedLayers {
  if (total > maxOnMap) return { ids: [] }
  const drawn = layers
    .filter(({ thumbnail, problem }) => thumbnail !== undefined && problem === undefined)
    .map((layer) => ({ layer, height: heightOf(layer) }))
    .sort((one, other) => one.height - other.height)
    .map(({ layer }) => layer)
  const bounds = boundsOfAll(drawn.flatMap(({ bounds: one }) => (one === undefined ? [] : [one])))
  return { ids: drawn.map(({ workspace, name }) => `${workspace}:${name}`), bounds }
}

function boundsOfAll(all: readonly (readonly number[])[]): Bounds | undefined {
  if (all.length === 0) return undefined
  const side = (at: number): number[] => all.map((one) => one[at] ?? 0)
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(2)), Math.max(...side(3))]
}

/** Rasters lie below areas, those below lines, and points on top. */
function heightOf({ kind, geometryType = '' }: Mapped): number {
  if (kind === 'raster') return 0
  if (/(?:Polygon|Surface)$/.test(geometryType)) return 1
  return /Point$/.test(geometryType) ? 3 : 2
}
