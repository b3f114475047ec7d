import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { seededNumbers } from '../../support/seeded-numbers.ts'
import { loadFile } from '../../support/stored-file.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

interface Location {
  n: number
  x: number
  y: number
}

type Box = readonly [west: number, south: number, east: number, north: number]

/** Each CRS with points all over its area of use, and boxes to query. */
const systems: Record<string, { within: Box; boxes: Box[] }> = {
  3035: {
    within: [-20, 30, 45, 75],
    boxes: [
      [0, 40, 20, 60],
      [5, 50, 6, 51],
      [-10, 35, -9, 36],
      [0, 45, 30, 46],
      [-1.5, 50, 1.5, 53],
      [-180, -90, 180, 90],
      [-25, 25, 50, 80],
    ],
  },
  3857: {
    within: [-180, -89, 180, 89],
    boxes: [
      [-180, -90, 180, 90],
      [-180, 85, 180, 90],
      [-180, -90, 180, -85],
      [177, 65, -177, 70],
      [170, -20, 190, 20],
      [-190, -20, -170, 20],
      [-80, -5, -70, 5],
      [-180.00000000000006, -90, 180.00000000000006, 90],
    ],
  },
  25832: {
    within: [5, 46, 13, 56],
    boxes: [
      [8, 50, 9, 51],
      [6, 47, 12, 55],
      [-180, -90, 180, 90],
      [8.99, 46, 9.01, 56],
    ],
  },
  3995: {
    within: [-180, 60, 180, 90],
    boxes: [
      [-20, 65, 20, 80],
      [100, 70, 170, 85],
      [-180, 60, 180, 90],
      [170, 62, -170, 72],
      [-180, 85, 180, 90],
    ],
  },
}

describe('a box in longitude and latitude, and layers in other systems', needsGdal, () => {
  let server: TestApp
  let folder: string
  const cleanups: (() => unknown)[] = []
  const placesOf: Record<string, Location[]> = {}
  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    for (const [code, { within }] of Object.entries(systems)) {
      const random = seededNumbers(Number(code))
      const [west, south, east, north] = within
      placesOf[code] = Array.from({ length: 4000 }, (_, n) => ({
        n,
        x: west + random() * (east - west),
        y: south + random() * (north - south),
      }))
      const csv = join(folder, `${code}.csv`)
      const rows = placesOf[code].map(({ n, x, y }) => `${n},${x},${y}`)
      // The last row has no geometry.
      writeFileSync(csv, ['n,x,y', ...rows, '4000,,'].join('\n'))
      const read = ['-oo', 'X_POSSIBLE_NAMES=x', '-oo', 'Y_POSSIBLE_NAMES=y', '-oo', 'AUTODETECT_TYPE=YES']
      const moved = ['-s_srs', 'EPSG:4326', '-t_srs', `EPSG:${code}`, '-nln', `of_${code}`]
      await runProgram('ogr2ogr', [join(folder, `${code}.gpkg`), csv, ...read, ...moved])
    }
    for (const store of ['file', 'table'])
      for (const code of Object.keys(systems))
        await loadFile(server, join(folder, `${code}.gpkg`), { store, name: `${store}_${code}` })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  function isIn([west, south, east, north]: Box, { x, y }: Location): boolean {
    const turned = [x, x - 360, x + 360]
    const isBetween = west <= east ? turned.some((one) => one >= west && one <= east) : x >= west || x <= east
    return isBetween && y >= south && y <= north
  }

  /**
   * Returns true if a point is so near to an edge that a polygon of the outline may give another result: a
   * millionth of the box.
   */
  function isNearEdge([west, south, east, north]: Box, { x, y }: Location): boolean {
    const turned = [x, x - 360, x + 360]
    const near = (value: number, edge: number, size: number): boolean => Math.abs(value - edge) <= size * 5e-6
    const width = west <= east ? east - west : east + 360 - west
    const isNearSide = turned.some((one) => near(one, west, width) || near(one, east, width))
    return isNearSide || near(y, south, width) || near(y, north, width)
  }

  for (const store of ['file', 'table'])
    for (const [code, { boxes }] of Object.entries(systems))
      it(`finds the places in each box, no other, and all without a place: ${store}, EPSG:${code}`, async () => {
        let found = 0
        for (const box of boxes) {
          const url = `/ogc/collections/default:${store}_${code}/items?limit=10000&properties=n&bbox=${box.join(',')}`
          const { status, json, text } = await ask(server, 'GET', url)
          assert.equal(status, 200, text)
          const page = json as unknown as { numberMatched: number; features: { properties: { n: number } }[] }
          const numbers = new Set(page.features.map(({ properties }) => properties.n))
          assert.equal(page.numberMatched, numbers.size)
          assert.ok(numbers.has(4000), 'what lies nowhere is in each box')
          for (const place of placesOf[code] ?? []) {
            if (isNearEdge(box, place)) continue
            const has = numbers.has(place.n)
            // With a pole in it, or around the world, a box is the rectangle around its image.
            const isRough = code === '3995' && (box[3] > 89 || box[0] > box[2] || box[2] - box[0] > 180)
            if (isRough ? isIn(box, place) : true)
              assert.equal(has, isIn(box, place), `${box.join()}: ${place.x} ${place.y}`)
          }
          found += numbers.size
        }
        assert.ok(found > 1000, `${found}`)
      })

  it('holds for WFS, pages and filters as well', async () => {
    const box: Box = [0, 45, 30, 46]
    const inside = (placesOf['3035'] ?? []).filter((place) => isIn(box, place)).length + 1
    for (const store of ['file', 'table']) {
      const wfs = `/wfs?service=WFS&version=2.0.0&request=GetFeature&resultType=hits&typeNames=default:${store}_3035`
      const hits = await ask(server, 'GET', `${wfs}&bbox=0,45,30,46,EPSG:4326`)
      // WFS leaves out rows without geometry.
      assert.match(hits.text, new RegExp(`numberMatched="${inside - 1}"`))
      const items = `/ogc/collections/default:${store}_3035/items?bbox=${box.join(',')}&properties=n`
      const numbers = new Set<number>()
      for (let next: string | undefined = `${items}&limit=40`; next !== undefined; ) {
        const { json } = await ask(server, 'GET', next)
        const page = json as unknown as {
          features: { properties: { n: number } }[]
          links: { rel: string; href: string }[]
        }
        for (const { properties } of page.features) numbers.add(properties.n)
        const link = page.links.find(({ rel }) => rel === 'next')?.href
        next = link?.slice(link.indexOf('/ogc'))
      }
      assert.equal(numbers.size, inside)
      const { json } = await ask(server, 'GET', `${items}&limit=1&filter=${encodeURIComponent('n < 2000')}`)
      assert.equal(Number(json['numberMatched']), [...numbers].filter((n) => n < 2000).length)
    }
  })
})
