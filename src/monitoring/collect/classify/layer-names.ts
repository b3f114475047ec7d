import type { MapServerKind } from '../../../config/map-servers.ts'
import type { UsedResource } from '../../series/request-event.ts'

/** Layers as resources, each once: `toName` may make one of two. */
export function layersOf(names: readonly string[], toName: (name: string) => string): UsedResource[] {
  return [...new Set(names.map(toName))].map((name) => ({ type: 'layer', name }))
}

/** Gives a layer the name that it has whatever service asks for it. */
export type LayerNamer = (name: string, path: string) => string

/** What a server puts before the names of its own layers in WFS, where they have none in WMS. */
const ownPrefixes = { mapserver: 'ms:', qgis: 'qgs:' } as const
/** Of GeoServer, in place of a workspace. */
const noWorkspaces = ['gwc', 'rest', 'web', 'wms', 'wfs', 'wcs', 'wps', 'wmts', 'ows', 'kml']
const maxSegments = 6

/**
 * The namer for a map server; `url` is its base. Where its kind is not known, paths tell those that have usual names.
 * MapServer and QGIS Server lose the prefix that is their own; GeoServer's layers have the workspace of the path before
 * them, and stay apart by it.
 */
export function layerNamer(kind: MapServerKind | undefined, url: string): LayerNamer {
  const base = URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, '') : ''
  return (name, path) => {
    const server = kind ?? kindByPath(path)
    if (server === 'geoserver') return name.includes(':') ? name : qualified(name, path, base)
    const prefix = server === undefined ? '' : ownPrefixes[server]
    return prefix !== '' && name.length > prefix.length && name.startsWith(prefix)
      ? name.slice(prefix.length)
      : name
  }
}

function kindByPath(path: string): MapServerKind | undefined {
  if (/^\/geoserver\//i.test(path)) return 'geoserver'
  if (/\/qgis_mapserv(?:\.\w{1,5})?$/i.test(path)) return 'qgis'
  return /\/mapserv(?:\.\w{1,5})?$/i.test(path) ? 'mapserver' : undefined
}

/** `/a/ows` and `/a/roads/ows` are services of the workspace `a`. */
function qualified(name: string, path: string, base: string): string {
  const root =
    base !== '' && path.startsWith(`${base}/`) ? base : (/^\/geoserver(?=\/)/i.exec(path)?.[0] ?? '')
  const [workspace = '', ...rest] = path.slice(root.length + 1).split('/', maxSegments)
  const isWorkspace =
    rest.length > 0 && /^[\w.-]{1,100}$/.test(workspace) && !noWorkspaces.includes(workspace)
  return isWorkspace ? `${workspace}:${name}` : name
}
