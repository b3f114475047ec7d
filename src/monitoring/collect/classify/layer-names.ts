import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import type { MapServerKind } from '../../../core/config/map-servers.ts'
import type { UsedResource } from '../../series/request-event.ts'

/** Returns the layers as resources without duplicates; `toName` may map two names to one. */
export function requestedLayers(names: readonly string[], toName: (name: string) => string): UsedResource[] {
  return [...new Set(names.map(toName))].map((name) => ({ type: 'layer', name }))
}

/** Returns a layer's name independent of the requested service. */
export type LayerNamer = (name: string, path: string) => string

/** Prefix that a server puts before its layer names in WFS but not in WMS. */
const ownPrefixes = { mapserver: 'ms:', qgis: 'qgs:' } as const
/** Path segments of GeoServer that are not workspaces. */
const noWorkspaces = ['gwc', 'rest', 'web', 'wms', 'wfs', 'wcs', 'wps', 'wmts', 'ows', 'kml']
const maxSegments = 6

/**
 * Returns the layer namer of a map server; `url` is its base. If its kind is unknown, paths identify servers
 * with typical paths. Removes the prefix of MapServer and QGIS Server; prepends the workspace of the path to
 * GeoServer's layers, so that equal names in different workspaces remain distinct.
 */
export function layerNamer(kind: MapServerKind | undefined, url: string): LayerNamer {
  const base = URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, '') : ''
  return (name, path) => {
    const server = kind ?? (path.length > maxCachedPath ? kindByPath(path) : kinds.get(path, kindByPath))
    if (server === 'geoserver') return name.includes(':') ? name : qualified(name, path, base)
    const prefix = server === 'unknown' ? '' : ownPrefixes[server]
    return prefix !== '' && name.length > prefix.length && name.startsWith(prefix)
      ? name.slice(prefix.length)
      : name
  }
}

const maxCachedPath = 200
const kinds = new BoundedCache<string, MapServerKind | 'unknown'>(1000)

function kindByPath(path: string): MapServerKind | 'unknown' {
  if (/^\/geoserver\//i.test(path)) return 'geoserver'
  if (/\/qgis_mapserv(?:\.\w{1,5})?$/i.test(path)) return 'qgis'
  return /\/mapserv(?:\.\w{1,5})?$/i.test(path) ? 'mapserver' : 'unknown'
}

/**
 * Adds the workspace in the path to the name: `/a/ows` and `/a/roads/ows` are services of the workspace `a`.
 */
function qualified(name: string, path: string, base: string): string {
  const root =
    base !== '' && path.startsWith(`${base}/`) ? base : (/^\/geoserver(?=\/)/i.exec(path)?.[0] ?? '')
  const [workspace = '', ...rest] = path.slice(root.length + 1).split('/', maxSegments)
  const isWorkspace =
    rest.length > 0 && /^[\w.-]{1,100}$/.test(workspace) && !noWorkspaces.includes(workspace)
  return isWorkspace ? `${workspace}:${name}` : name
}
