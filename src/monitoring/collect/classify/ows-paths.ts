import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import type { RequestEventType } from '../../model/event-types.ts'
import { decodeParameter } from './ows-parameters.ts'

export interface PathUse {
  eventType: RequestEventType
  /** True if the path alone identifies the request, such as that of a tile. */
  isWhole: boolean
  layer?: string
}

const endpoints: Record<string, RequestEventType> = {
  wms: 'OWS:WMS',
  wfs: 'OWS:WFS',
  wcs: 'OWS:WCS',
  wps: 'OWS:WPS',
  wmts: 'OWS:WMTS',
  tms: 'OWS:TMS',
}

/** Services of GeoWebCache: paths below `/gwc/service/`. */
const tileServices: Record<string, RequestEventType> = {
  wms: 'OWS:WMS-C',
  wmts: 'OWS:WMTS',
  tms: 'OWS:TMS',
  gmaps: 'OWS:TMS',
  ve: 'OWS:TMS',
  'mb-tiles': 'OWS:TMS',
  kml: 'OWS:TMS',
}

const version = /^\d{1,3}(\.\d{1,3}){1,2}$/
const tile = /\/(\d{1,2})\/(\d{1,9})\/-?(\d{1,9})(?:@\dx)?\.(?:png|png8|jpg|jpeg|webp|gif|pbf|mvt)$/i
const collection = /\/collections\/([^/]{1,1000})\/(items|coverage)(?:\/|$)/
const maxPathLength = 4096

const maxCachedPath = 200
const uses = new BoundedCache<string, PathUse | null>(1000)

/** Classifies a path: a service endpoint, a tile, or a collection of an OGC API. */
export function classifyOwsPath(path: string): PathUse | undefined {
  if (path.length > maxPathLength) return undefined
  if (path.length > maxCachedPath) return classifyPath(path)
  return uses.get(path, (one) => classifyPath(one) ?? null) ?? undefined
}

function classifyPath(path: string): PathUse | undefined {
  const lower = path.toLowerCase()
  const cached = classifyCached(path, lower)
  if (cached !== undefined) return cached
  const last = lower.slice(lower.lastIndexOf('/') + 1)
  const eventType = ownValue(endpoints, last)
  if (eventType !== undefined) return { eventType, isWhole: false }
  return classifyTile(path, lower) ?? classifyCollection(path, lower)
}

function classifyCached(path: string, lower: string): PathUse | undefined {
  const at = lower.indexOf('/gwc/service/')
  if (at < 0) return undefined
  const start = at + '/gwc/service/'.length
  const end = lower.indexOf('/', start)
  const name = lower.slice(start, end < 0 ? undefined : end)
  const eventType = ownValue(tileServices, name)
  if (eventType === undefined) return undefined
  const layer = end < 0 ? undefined : layerOf(path.slice(end + 1))
  return { eventType, isWhole: layer !== undefined, layer }
}

function classifyTile(path: string, lower: string): PathUse | undefined {
  for (const [name, eventType] of [
    ['/wmts/', 'OWS:WMTS'],
    ['/tms/', 'OWS:TMS'],
  ] as const) {
    const at = lower.indexOf(name)
    const layer = at < 0 ? undefined : layerOf(path.slice(at + name.length))
    if (layer !== undefined && isTileOf(lower, at + name.length)) return { eventType, isWhole: true, layer }
  }
  const [found, z = '', x = '', y = ''] = tile.exec(path) ?? []
  if (found === undefined || !isTile(z, x, y)) return undefined
  const before = path.slice(0, path.length - found.length).replace(/^.*\/tiles\//i, '')
  const layer = layerOf(before.includes('/') ? before.slice(before.lastIndexOf('/') + 1) : before)
  return { eventType: 'OWS:TMS', isWhole: true, layer }
}

/**
 * True if the rest looks like a tile of a layer: three or more further segments, the last two of which are
 * numbers.
 */
function isTileOf(lower: string, start: number): boolean {
  return /\/[^/]+\/\d{1,9}\/-?\d{1,9}(?:\.\w{1,10})?$/.test(lower.slice(start, start + maxPathLength))
}

function isTile(z: string, x: string, y: string): boolean {
  const isPlain = [z, x, y].every((one) => one === '0' || !one.startsWith('0'))
  return isPlain && Number(z) <= 30 && Number(x) < 2 ** Number(z) && Number(y) < 2 ** Number(z)
}

/** Returns the layer in the rest of a path: after `rest` or a version, before the `@` of a grid set. */
function layerOf(rest: string): string | undefined {
  const parts = rest.split('/', 3)
  if (parts[0] === 'rest' || version.test(parts[0] ?? '')) parts.shift()
  const layer = decodeParameter((parts[0] ?? '').replaceAll('+', '%2B')).split('@', 1)[0]
  return layer === undefined || layer === '' || /\.xml$/i.test(layer) ? undefined : layer
}

function classifyCollection(path: string, lower: string): PathUse | undefined {
  if (!lower.includes('/collections/')) return undefined
  const [, name, kind] = collection.exec(path) ?? []
  if (name === undefined) return undefined
  const eventType = kind === 'items' ? 'OWS:WFS' : 'OWS:WCS'
  return { eventType, isWhole: true, layer: decodeParameter(name) }
}
