import { call } from '../../../api/client.ts'
import type { Calls } from '../../../api/openapi.d.ts'
import { fullAddressOf } from '../../../lib/base.ts'
import { session } from '../../../session/session.ts'

const programs = [
  'QGIS',
  'ArcGIS',
  'MapLibre',
  'Leaflet',
  'OpenLayers',
  'R',
  'Python',
  'GDAL',
  'curl',
] as const
export type Program = (typeof programs)[number]

/** A layer as other programs reach it. */
export interface UsedLayer {
  /** `workspace:name`. */
  id: string
  kind: 'features' | 'raster' | 'table'
  isPublic: boolean
  /** True if the CRS of its coordinates is known. */
  isPlaced: boolean
  /** True if it may have more features than one request returns. */
  isLarge: boolean
  /** The address of the raster itself; a mosaic has none. */
  file?: string
}

/** Maximum number of features per request. */
export const maxFeatures = 1000

interface Collection {
  links?: { rel: string; href: string }[]
}

export async function askUsedLayer(id: string, signal: AbortSignal): Promise<UsedLayer> {
  const at = encodeURIComponent(id)
  const { layer } = await call<Calls['GET /rest/layers/{layer}']['answer']>(
    { path: `/rest/layers/${at}` },
    signal,
  )
  const isRaster = layer.type === 'RASTER'
  const collection = isRaster ? await call<Collection>({ path: `/ogc/collections/${at}` }, signal) : {}
  const file = collection.links?.find(({ rel }) => rel === 'enclosure')?.href
  const hasGeometry = layer.attributes.some(({ binding }) => binding.includes('.geom.'))
  return {
    id,
    kind: isRaster ? 'raster' : hasGeometry ? 'features' : 'table',
    isPlaced: layer.srs !== undefined,
    isPublic: layer.public ?? (await isOpen(layer.workspace.name, signal)),
    isLarge: hasGeometry && (layer.featureCount ?? (await countFeatures(at, signal))) > maxFeatures,
    file,
  }
}

/** Returns the number of features of a layer whose record has none yet; infinite if it is unknown. */
async function countFeatures(at: string, signal: AbortSignal): Promise<number> {
  const path = `/ogc/collections/${at}/items`
  const { numberMatched } = await call<{ numberMatched?: number }>(
    { path, query: { limit: 1, f: 'json' } },
    signal,
  )
  return numberMatched ?? Number.POSITIVE_INFINITY
}

/** A workspace readable without signing in is public. Only users may query workspaces. */
async function isOpen(name: string, signal: AbortSignal): Promise<boolean> {
  if (session.peek() === null) return true
  const path = `/rest/workspaces/${encodeURIComponent(name)}`
  const { workspace } = await call<{ workspace: { public: boolean } }>({ path }, signal)
  return workspace.public
}

/** The programs that can do something with it. */
export function programsFor({ kind, file }: UsedLayer): Program[] {
  const without: Record<UsedLayer['kind'], readonly Program[]> = {
    features: [],
    table: ['ArcGIS', 'MapLibre', 'Leaflet', 'OpenLayers'],
    raster: file === undefined ? ['R', 'Python', 'GDAL'] : [],
  }
  return programs.filter((one) => !without[kind].includes(one))
}

/** Encodes an id for a URL, keeping it readable. */
function segment(id: string): string {
  return encodeURIComponent(id).replaceAll('%3A', ':').replaceAll("'", '%27')
}

export function tilesAddress({ id }: UsedLayer): string {
  return fullAddressOf(`/tiles/${segment(id)}`)
}

export function collectionAddress({ id }: UsedLayer): string {
  return fullAddressOf(`/ogc/collections/${segment(id)}`)
}

export function ogcAddress(): string {
  return fullAddressOf('/ogc')
}
