import { collectionAddress, maxFeatures, tilesAddress, type UsedLayer } from './used-layer.ts'

/** A text as a literal of JavaScript within a page. */
function js(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('<', '\\u003c')}'`
}

function page(head: string, script: string, isModule = false): string {
  const indented = script.replaceAll(/^(?=.)/gm, '  ')
  return `<!doctype html>
<meta charset="utf-8">
${head}
<div id="map" style="position: absolute; inset: 0"></div>
<script${isModule ? ' type="module"' : ''}>
${indented}
</script>`
}

/** For clients that send no headers the token is in the address. */
function withToken(address: string, { isPublic }: UsedLayer): string {
  return isPublic ? address : `${address}?access_token=TOKEN`
}

export function mapLibreCode(layer: UsedLayer): string {
  const headers = layer.isPublic
    ? ''
    : `\n  transformRequest: (url) =>\n    url.startsWith(${js(new URL(tilesAddress(layer)).origin)}) ? { url, headers: { Authorization: 'Bearer TOKEN' } } : { url },`
  return page(
    '<link rel="stylesheet" href="https://unpkg.com/maplibre-gl@6/dist/maplibre-gl.css">',
    `import { Map } from 'https://unpkg.com/maplibre-gl@6/dist/maplibre-gl.mjs'

const map = new Map({
  container: 'map',
  style: ${js(`${tilesAddress(layer)}/style.json`)},${headers}
})`,
    true,
  )
}

/** Leaflet draws every feature that it is given: a large layer is shown by the pictures of its tiles. */
export function isShownByTiles({ kind, isLarge, isPlaced }: UsedLayer): boolean {
  return kind === 'raster' || (isLarge && isPlaced)
}

export function leafletCode(layer: UsedLayer): string {
  const head = `<link rel="stylesheet" href="https://unpkg.com/leaflet@1/dist/leaflet.css">
<script src="https://unpkg.com/leaflet@1/dist/leaflet.js"></script>`
  if (isShownByTiles(layer))
    return page(
      head,
      `const map = L.map('map')
L.tileLayer(${js(withToken(`${tilesAddress(layer)}/{z}/{x}/{y}.png`, layer))}, { maxZoom: 22 }).addTo(map)
fetch(${js(withToken(tilesAddress(layer), layer))})
  .then((reply) => reply.json())
  .then(({ bounds: [west, south, east, north] }) => map.fitBounds([[south, west], [north, east]]))`,
    )
  const requested = js(`${collectionAddress(layer)}/items?limit=${maxFeatures}`)
  const options = layer.isPublic ? '' : `, { headers: { Authorization: 'Bearer TOKEN' } }`
  return page(
    head,
    `const map = L.map('map').setView([0, 0], 1)
fetch(${requested}${options})
  .then((reply) => reply.json())
  .then((features) => {
    const layer = L.geoJSON(features).addTo(map)
    map.fitBounds(layer.getBounds())
  })`,
  )
}

export function openLayersCode(layer: UsedLayer): string {
  const source =
    layer.kind === 'raster'
      ? `new ol.layer.Tile({
  source: new ol.source.XYZ({
    url: ${js(withToken(`${tilesAddress(layer)}/{z}/{x}/{y}.png`, layer))},
    maxZoom: 22,
  }),
})`
      : `new ol.layer.VectorTile({
  source: new ol.source.VectorTile({
    format: new ol.format.MVT(),
    url: ${js(withToken(`${tilesAddress(layer)}/{z}/{x}/{y}.mvt`, layer))},
    maxZoom: 18,
  }),
  style: { 'fill-color': '#6fb0b5', 'stroke-color': '#00505c', 'circle-radius': 4, 'circle-fill-color': '#00505c' },
})`
  return page(
    `<link rel="stylesheet" href="https://unpkg.com/ol@10/ol.css">
<script src="https://unpkg.com/ol@10/dist/ol.js"></script>`,
    `const layer = ${source}
const map = new ol.Map({ target: 'map', layers: [layer], view: new ol.View({ center: [0, 0], zoom: 1 }) })
fetch(${js(withToken(tilesAddress(layer), layer))})
  .then((reply) => reply.json())
  .then(({ bounds }) => map.getView().fit(ol.proj.transformExtent(bounds, 'EPSG:4326', 'EPSG:3857')))`,
  )
}
