import assert from 'node:assert/strict'
import { endpoints } from '../../src/api/routes.ts'

/** Existing things for the parameters in the paths of GET routes. */
export interface NamedThings {
  workspace: string
  /** A vector layer with its workspace: `default:places`. */
  layer: string
  style: string
  /** A raster layer with its workspace. */
  raster: string
  store: string
  importId: number
}

/** Routes whose response does not end. */
const endless = new Set(['/rest/imports/:importId/events'])

function valuesOf({ workspace, layer, style, store, importId }: NamedThings): Record<string, string> {
  return {
    workspace,
    layer,
    style,
    store,
    importId: String(importId),
    taskId: '0',
    transformId: '0',
    fileId: 'places.geojson',
    collectionId: layer,
    featureId: '1',
    itemId: layer,
    recordId: layer,
    styleId: style,
    fileName: 'file.tif',
    tileMatrixSet: 'EPSG:3857',
    tileMatrixSetId: 'WebMercatorQuad',
    tileMatrix: '0',
    tileRow: '0',
    tileCol: '0',
    i: '10',
    j: '10',
    z: '0',
    x: '0',
    y: '0',
    metric: 'request.count',
    id: '1',
    version: '1',
    name: 'admin',
    upload: 'none',
    group: 'none',
    source: 'none',
    run: '1',
    map: 'none',
    job: '1',
    layergroup: 'none',
    resource: 'none',
    service: 'wms',
  }
}

/** Parameters that a route needs before it reads anything. */
function queriesOf({ layer, raster, style }: NamedThings): Record<string, readonly string[]> {
  const box = 'CRS=CRS:84&BBOX=-180,-90,180,90&WIDTH=64&HEIGHT=64&FORMAT=image/png'
  const wms = [
    'SERVICE=WMS&REQUEST=GetCapabilities',
    'SERVICE=WMS&VERSION=1.1.1&REQUEST=GetCapabilities',
    `SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=${layer}&STYLES=&${box}`,
    `SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=${raster}&STYLES=&${box}`,
    `SERVICE=WMS&VERSION=1.3.0&REQUEST=GetFeatureInfo&LAYERS=${layer}&QUERY_LAYERS=${layer}&STYLES=&I=1&J=1&INFO_FORMAT=application/json&${box}`,
    `SERVICE=WMS&VERSION=1.3.0&REQUEST=GetLegendGraphic&LAYER=${layer}&STYLE=${style}&FORMAT=image/png`,
  ]
  const wfs = [
    'SERVICE=WFS&REQUEST=GetCapabilities',
    'SERVICE=WFS&VERSION=1.1.0&REQUEST=GetCapabilities',
    `SERVICE=WFS&VERSION=2.0.0&REQUEST=DescribeFeatureType&TYPENAMES=${layer}`,
    `SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=${layer}&COUNT=1`,
    `SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=${layer}&OUTPUTFORMAT=application/json`,
  ]
  const wcs = [
    'SERVICE=WCS&REQUEST=GetCapabilities',
    'SERVICE=WCS&VERSION=1.0.0&REQUEST=GetCapabilities',
    `SERVICE=WCS&VERSION=2.0.1&REQUEST=DescribeCoverage&COVERAGEID=${raster.replace(':', '__')}`,
    `SERVICE=WCS&VERSION=2.0.1&REQUEST=GetCoverage&COVERAGEID=${raster.replace(':', '__')}&FORMAT=image/tiff`,
  ]
  const wmts = [
    'SERVICE=WMTS&REQUEST=GetCapabilities',
    `SERVICE=WMTS&VERSION=1.0.0&REQUEST=GetTile&LAYER=${layer}&STYLE=&FORMAT=image/png&TILEMATRIXSET=EPSG:3857&TILEMATRIX=0&TILEROW=0&TILECOL=0`,
  ]
  return {
    wms,
    wfs,
    wcs,
    wmts,
    ows: [...wms, ...wfs, ...wcs, ...wmts],
    map: ['bbox=-180,-90,180,90&width=64&height=64'],
    classes: ['attribute=n&method=equal-interval&count=3'],
    ':metric': ['last=600&interval=60'],
    layers: ['', 'public=true'],
  }
}

/** Returns at least one URL for every GET route of the server; anonymous users may call some of them. */
export function getAddresses(things: NamedThings): string[] {
  const values = valuesOf(things)
  const queries = queriesOf(things)
  const made = endpoints.flatMap(({ method, path }) => {
    if (method !== 'GET' || endless.has(path)) return []
    const filled = path.replace(/:(\w+)/g, (_whole, name: string) =>
      encodeURIComponent(values[name] ?? assert.fail(`${path}: no value for ":${name}"`)),
    )
    return (queries[path.split('/').at(-1) ?? ''] ?? ['']).map((query) => `${filled}${query && `?${query}`}`)
  })
  const rasters = ['', '/map?bbox=-180,-90,180,90&width=64&height=64', '/download', '/schema'].map(
    (path) => `/ogc/collections/${encodeURIComponent(things.raster)}${path}`,
  )
  const collection = `/stac/collections/${encodeURIComponent(things.raster)}`
  const items = ['', '/items', `/items/${encodeURIComponent(things.raster)}`].map(
    (path) => `${collection}${path}`,
  )
  const pictures = ['/0/0/0.png', '/thumbnail.png', '/legend.png'].map(
    (path) => `/tiles/${encodeURIComponent(things.raster)}${path}`,
  )
  const pages = ['/app', '/app/layers', '/embed/map', '/docs', '/openapi.json']
  return [...new Set([...made, ...rasters, ...items, ...pictures, ...pages])]
}
