import type { MapBrowser, ShownMap } from './browser.ts'
import { blockAt } from './document-blocks.ts'

const documented = 'https://maps.example.org'

/** Returns a page from a document, with the URL of a server in place of the documented one. */
export function documentedPage(
  place: string,
  server: { url: string },
  changes: [string, string][] = [],
): string {
  let html = blockAt(place).replaceAll(documented, server.url)
  for (const [from, to] of changes) {
    if (!html.includes(from)) throw new Error(`${place} does not say ${from}`)
    html = html.replaceAll(from, to)
  }
  return html
}

/** Returns a page with a MapLibre map of a style or of the URL of one. */
export function mapLibrePage(style: object | string): string {
  return `<!doctype html>
<meta charset="utf-8">
<link rel="stylesheet" href="https://unpkg.com/maplibre-gl@6/dist/maplibre-gl.css">
<div id="map" style="position: absolute; inset: 0"></div>
<script type="module">
  import { Map } from 'https://unpkg.com/maplibre-gl@6/dist/maplibre-gl.mjs'
  const map = new Map({ container: 'map', style: ${JSON.stringify(style)} })
</script>`
}

/** Opens a page with a map of MapLibre, which the page calls `map`, and waits until all is drawn. */
export async function showMapLibre(
  browser: MapBrowser,
  html: string,
  {
    view,
    ...from
  }: { view?: { center: [number, number]; zoom: number }; origin?: string; cookie?: string } = {},
): Promise<ShownMap> {
  const move = view === undefined ? '' : `map.jumpTo(${JSON.stringify(view)});`
  const reported = `globalThis.map = map; map.on('load', () => { ${move} map.once('idle', () => { globalThis.isDrawn = true }) })`
  const shown = await browser.open(html.replace(/<\/script>\s*$/, `;${reported}</script>`), from)
  await shown.when('globalThis.isDrawn')
  return shown
}

/** Replaces the style of a page's map, which takes less time than a new page, and waits until all is drawn. */
export async function changeMapLibreStyle(
  shown: ShownMap,
  style: string,
  view: { center: [number, number]; zoom: number },
): Promise<void> {
  await shown.page.evaluate(
    `globalThis.isDrawn = false
    map.once('style.load', () => {
      map.jumpTo(${JSON.stringify(view)})
      map.once('idle', () => { globalThis.isDrawn = true })
    })
    void map.setStyle(${JSON.stringify(style)}, { diff: false })`,
  )
  await shown.when('globalThis.isDrawn')
}

/** Opens a page with a map of OpenLayers as `showMapLibre` does; the page may add its only layer later. */
export async function showOpenLayers(
  browser: MapBrowser,
  html: string,
  from: { origin?: string; cookie?: string } = {},
): Promise<ShownMap> {
  const reported = `globalThis.map = map
    function look() {
      const layers = map.getLayers().getArray()
      const isReady = layers.length > 0 && layers.every((one) => one.getSource().getState() === 'ready')
      if (!isReady) return setTimeout(look, 20)
      map.once('rendercomplete', () => { globalThis.isDrawn = true })
      map.render()
    }
    look()`
  const shown = await browser.open(html.replace(/<\/script>\s*$/, `;${reported}</script>`), from)
  await shown.when('globalThis.isDrawn')
  return shown
}

/** Opens a page with a map of Leaflet as `showMapLibre` does; its tiles fade in. */
export async function showLeaflet(browser: MapBrowser, html: string): Promise<ShownMap> {
  const reported = `map.eachLayer((one) => one.once('load', () => setTimeout(() => { globalThis.isDrawn = true }, 400)))`
  const shown = await browser.open(html.replace(/<\/script>\s*$/, `;${reported}</script>`))
  await shown.when('globalThis.isDrawn')
  return shown
}
