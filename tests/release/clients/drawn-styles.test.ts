import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { frameOf, mercatorBox } from '../../../src/render/thumbnails/thumbnail-frame.ts'
import { writeStyle } from '../../../src/styles/convert-style.ts'
import type { Dimension, Rule } from '../../../src/styles/model.ts'
import type { MapBrowser, ShownMap } from '../../support/browser.ts'
import { pictureSize, startBrowser } from '../../support/browser.ts'
import { changeMapLibreStyle, mapLibrePage, showMapLibre } from '../../support/map-pages.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { dimensions, samples, styledFeatures } from '../../support/styled-features.ts'
import { patience } from '../../support/until.ts'

const layers = { 0: 'points', 1: 'lines', 2: 'areas' } as const
const middle: [number, number] = [10, 50]
const islands: [number, number] = [-77.75, 24.55]
const zoom = 16

/** Metres of web mercator. */
function mercatorOf([longitude, latitude]: readonly [number, number]): [number, number] {
  const radius = 6_378_137
  return [(radius * longitude * Math.PI) / 180, radius * Math.asinh(Math.tan((latitude * Math.PI) / 180))]
}

const halfWorld = 20_037_508.342789244

function boxAround(at: readonly [number, number], atZoom: number): number[] {
  const [x, y] = mercatorOf(at)
  const half = halfWorld / 2 ** atZoom
  return [x - half, y - half, x + half, y + half]
}

/** Geometries in degrees from the centre; the first one is left of it. */
const shapes: Record<Dimension, { type: string; of(x: number): unknown }> = {
  0: { type: 'Point', of: (x) => [x, 0] },
  1: {
    type: 'LineString',
    of: (x) => [
      [x - 0.0006, -0.0006],
      [x, 0.0006],
      [x + 0.0006, -0.0004],
    ],
  },
  2: {
    type: 'Polygon',
    of: (x) => [
      [
        [x - 0.0006, -0.0006],
        [x + 0.0006, -0.0003],
        [x + 0.0004, 0.0006],
        [x - 0.0006, 0.0004],
        [x - 0.0006, -0.0006],
      ],
    ],
  },
}

/** The samples with ids 7 to 9, after six that lie elsewhere. */
function collectionOf(dimension: Dimension): object {
  const { type, of } = shapes[dimension]
  const shifted = (value: unknown, [x, y]: readonly [number, number]): unknown =>
    Array.isArray(value) && typeof value[0] === 'number'
      ? [value[0] + x, value[1] + y]
      : (value as unknown[]).map((one) => shifted(one, [x, y]))
  const elsewhere = Array.from({ length: 6 }, () => ({
    properties: { a: 0, t: 'away', b: 0 },
    coordinates: shifted(of(0), [10.006, 50]),
  }))
  const here = samples.map(({ a, t, b }, index) => ({
    properties: { a, t, b: b ?? null },
    coordinates: shifted(of([-0.0017, 0.0001, 0.0016][index] ?? 0), middle),
  }))
  const features = [...elsewhere, ...here].map(({ properties, coordinates }) => ({
    type: 'Feature',
    properties,
    geometry: { type, coordinates },
  }))
  return { type: 'FeatureCollection', features }
}

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'styles.md'), 'utf8')
/** Cells of the row of docs/styles.md. */
function cellsOf(name: string): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${name.replaceAll('<', '&lt;')} |`))
  return (row ?? assert.fail(name)).split('|').map((cell) => cell.trim())
}
/** Returns the column of the document about WMS. */
const reported = (name: string): string => cellsOf(name).at(-2) ?? ''
/** Returns true if MapLibre draws the style differently, so the server's own image is compared. */
const isByThumbnail = (name: string): boolean => !name.startsWith('raster') && cellsOf(name)[2] === 'told'
/** One of the programs antialiases letters and small dots more than the other. */
const toleranceOf = (name: string): number => (/^(label|mark)|the attribute itself/.test(name) ? 0.35 : 0.1)

const sum = (amounts: number[]): number => amounts.reduce((all, one) => all + one, 0)

const across = 16
const frame = 2
/**
 * Returns the difference of red, green and blue from the background (the colour of a corner) for each cell of
 * a grid. Ignores a frame of two pixels.
 */
async function inks(picture: Uint8Array): Promise<number[]> {
  const flat = sharp(picture).flatten({ background: '#ffffff' }).removeAlpha()
  const { data, info } = await flat.raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const sums = new Float64Array(across * across * 3)
  const [wide, high] = [width / across, height / across]
  const valueAt = (x: number, y: number, band: number): number => data[(y * width + x) * 3 + band] ?? 0
  for (let y = frame; y < height - frame; y += 1)
    for (let x = frame; x < width - frame; x += 1)
      for (let band = 0; band < 3; band += 1) {
        const at = (Math.floor(y / high) * across + Math.floor(x / wide)) * 3 + band
        sums[at] = (sums[at] ?? 0) + Math.abs(valueAt(frame, frame, band) - valueAt(x, y, band))
      }
  return Array.from(sums, (one) => one / (wide * high))
}

/**
 * Returns the share of ink that the two pictures do not have in common: 0 if they are equal, 1 if they share
 * nothing.
 */
function apart(one: number[], other: number[]): number {
  const all = one.reduce((sum, ink, at) => sum + Math.max(ink, other[at] ?? 0), 0)
  const difference = one.reduce((sum, ink, at) => sum + Math.abs(ink - (other[at] ?? 0)), 0)
  return all === 0 ? 0 : difference / all
}

describe('styles drawn by WMS beside MapLibre', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let browser: MapBrowser
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    browser = await startBrowser(cleanup)
    server = await serveMaps(cleanup)
    const folder = join(server.sources, '..', 'styled')
    mkdirSync(folder)
    for (const dimension of [0, 1, 2] as const)
      writeFileSync(join(folder, `${layers[dimension]}.geojson`), JSON.stringify(collectionOf(dimension)))
    const created = await server.call('POST', '/rest/imports?exec=true', {
      import: { data: { type: 'directory', location: 'styled' } },
    })
    assert.equal(created.json.import?.state, 'COMPLETE', created.text)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const saved = new Map<string, string>()
  const save = async (rules: Rule[]): Promise<string> => {
    const key = JSON.stringify(rules)
    const known = saved.get(key)
    if (known !== undefined) return known
    const name = `s${saved.size}`
    for (const format of ['sld', 'maplibre', 'qml'] as const) {
      const made = writeStyle({ rules, lost: [] }, name, format)
      if (made === undefined || made.lost.length > 0) continue
      const style = { name, format, document: made.document }
      const kept = await server.call('POST', '/rest/styles', { style })
      assert.equal(kept.status, 201, kept.text)
      saved.set(key, name)
      return name
    }
    return assert.fail(`${key} is told by no language`)
  }
  /** Makes a style that of a layer: other styles are not everyone's. */
  const wear = async (layer: string, rules: Rule[]): Promise<string> => {
    const name = await save(rules)
    const put = await server.call('PUT', `/rest/layers/default:${layer}`, {
      layer: { defaultStyle: { name } },
    })
    assert.equal(put.status, 200, put.text)
    return name
  }
  const byMaps = async (layer: string, style: string, box: number[], size = [pictureSize, pictureSize]) => {
    const query = `service=WMS&version=1.3.0&request=GetMap&layers=default:${layer}&styles=${style}&crs=EPSG:3857&bbox=${box.join()}&width=${size[0]}&height=${size[1]}&format=image/png`
    for (const hasTime = patience(); ; ) {
      const reply = await fetch(`${server.url}/wms?${query}`)
      const bytes = Buffer.from(await reply.arrayBuffer())
      if (reply.status === 503 && hasTime()) continue
      assert.equal(reply.status, 200, bytes.toString('utf8').slice(0, 400))
      return bytes
    }
  }
  let shown: ShownMap | undefined
  const byMapLibre = async (layer: string, style: string, center: [number, number], atZoom: number) => {
    const address = `${server.url}/tiles/default:${layer}/style.json?style=${style}`
    const view = { center, zoom: atZoom }
    if (shown === undefined) shown = await showMapLibre(browser, mapLibrePage(address), { view })
    else await changeMapLibreStyle(shown, address, view)
    const picture = await shown.picture()
    assert.deepEqual(shown.complaints.splice(0), [], style)
    return picture
  }

  for (const feature of styledFeatures) {
    const { name, rules, usual } = feature
    it(`${name}: ${reported(name)}`, async () => {
      const kind = rules[0]?.symbols[0]?.kind ?? 'polygon'
      const layer = kind === 'raster' ? 'islands' : layers[/along a line/.test(name) ? 1 : dimensions[kind]]
      const [center, at] = kind === 'raster' ? ([islands, 6] as const) : ([middle, zoom] as const)
      const box = boxAround(center, at)
      const plain =
        usual === undefined ? undefined : await byMaps(layer, await wear(layer, [{ symbols: [usual] }]), box)
      const style = await wear(layer, rules)
      const drawn = await byMaps(layer, style, box)
      if (plain !== undefined)
        assert.equal(drawn.equals(plain), reported(name) === 'no', 'beside the usual one')
      if (reported(name) === 'no') return
      const ink = await inks(drawn)
      assert.ok(sum(ink) > 1, 'nothing is drawn')
      // Each program selects the positions along a line itself, and one of them also how often a label fits.
      if (/^label: (along|said again)/.test(name)) {
        const ratio = sum(ink) / sum(await inks(await byMapLibre(layer, style, center, at)))
        return assert.ok(ratio > 0.4 && ratio < 1.6, `${ratio} times as much`)
      }
      if (!isByThumbnail(name)) {
        const away = apart(ink, await inks(await byMapLibre(layer, style, center, at)))
        return assert.ok(away < toleranceOf(name), `${away} apart from MapLibre`)
      }
      const thumbnail = await fetch(
        `${server.url}/tiles/default:${layer}/thumbnail.png?width=${pictureSize}&height=${pictureSize}`,
      )
      const small = Buffer.from(await thumbnail.arrayBuffer())
      assert.equal(thumbnail.status, 200, small.toString())
      const beside = await byMaps(layer, style, await thumbnailBox(layer))
      const away = apart(await inks(beside), await inks(small))
      assert.ok(away < toleranceOf(name), `${away} apart from the thumbnail`)
    })
  }

  /** Returns the envelope of a layer's thumbnail, in metres. */
  async function thumbnailBox(layer: string): Promise<number[]> {
    const { json } = await server.call('GET', `/tiles/default:${layer}`)
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = (json as { bounds?: number[] }).bounds ?? []
    const place = frameOf(mercatorBox({ minX, minY, maxX, maxY }), {
      width: pictureSize,
      height: pictureSize,
      maxZoom: 18,
    })
    const [first] = place.tiles
    assert.ok(first)
    const metres = (2 * halfWorld) / 2 ** first.tile.z / place.size
    const west = first.tile.x * place.size * metres - halfWorld - first.left * metres
    const north = halfWorld - first.tile.y * place.size * metres + first.top * metres
    return [west, north - pictureSize * metres, west + pictureSize * metres, north]
  }
})
