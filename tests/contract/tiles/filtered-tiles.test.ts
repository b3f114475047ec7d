import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { clientOf } from '../../support/importer-client.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
/** More than a tile shows where it is not thinned, so close that pixels lie on each other. */
const rows = 24_000

function manyPoints(count: number): string {
  const features = Array.from({ length: count }, (_, row) => {
    const place = [10 + (row % 200) / 1000, 50 + Math.floor(row / 200) / 1000]
    const day = `2024-02-${String(1 + (row % 28)).padStart(2, '0')}`
    const name = ['Ulm', 'Bäcker', "O'Brien", '日本', '50%'][row % 5]
    return `{"type":"Feature","properties":{"n":${row},"näme":"${name}","day":"${day}"},"geometry":{"type":"Point","coordinates":[${place.join()}]}}`
  })
  return `{"type":"FeatureCollection","features":[${features.join()}]}`
}

const dates = { type: 'DateFormatTransform', field: 'day', format: 'yyyy-MM-dd' }
const filters: Record<string, number> = {
  'n < 5000': 5000,
  [`"näme" = '日本' AND n >= 20000`]: 800,
  [`"näme" LIKE 'O''%' AND NOT (n < 12000)`]: 2400,
  "day = DATE('2024-02-29')": 0,
  "day = DATE('2024-02-02') AND n < 100": 4,
  'S_INTERSECTS(geometry, BBOX(10.0995,49.9,10.2,50.0595))': 6000,
  'n IN (7, 23999) OR n IS NULL': 2,
}

for (const [shape, environment] of Object.entries(shapes))
  describe(`filtered tiles over ${shape}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await load('many', manyPoints(rows), [])
      await load('far', manyPoints(400), [{ type: 'ReprojectTransform', target: 'ESRI:54030' }])
    })
    after(() => server.close())

    async function load(name: string, content: string, more: object[]): Promise<void> {
      const client = clientOf(server)
      const target = { targetWorkspace: { workspace: { name: 'default' } } }
      const created = await client.call('POST', '', { import: { ...target, transforms: [dates, ...more] } })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: `${name}.geojson`, content }])
      await client.call('POST', `/${id}`)
      const done = await client.call('GET', `/${id}`)
      assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
    }
    const get = (url: string, headers: Record<string, string> = server.admin) =>
      server.app.inject({ url, headers })
    const tile = (layer: string, query: Record<string, string> = {}, place = '5/16/10') =>
      get(`/tiles/default:${layer}/${place}.mvt?${new URLSearchParams(query)}`)
    const numbersIn = (bytes: Buffer): number[] =>
      Object.values(new VectorTile(new PbfReader(bytes)).layers)
        .flatMap((layer) =>
          Array.from({ length: layer.length }, (_, at) => Number(layer.feature(at).properties['n'])),
        )
        .sort((one, other) => one - other)
    async function numbersBy(layer: string, filter: string): Promise<number[]> {
      const found: number[] = []
      let next: string | undefined =
        `/ogc/collections/default:${layer}/items?${new URLSearchParams({ filter, limit: '10000', f: 'json' })}`
      while (next !== undefined) {
        const reply = await get(next)
        assert.equal(reply.statusCode, 200, reply.body)
        const page = reply.json<{
          features: { properties: { n: number } }[]
          links: { rel: string; href: string }[]
        }>()
        found.push(...page.features.map(({ properties }) => properties.n))
        const link = page.links.find(({ rel }) => rel === 'next')
        next = link && new URL(link.href).pathname + new URL(link.href).search
      }
      return found.sort((one, other) => one - other)
    }

    it('hold each feature that the filter leaves of items, also where the whole is thinned', async () => {
      const whole = await tile('many')
      assert.match(String(whole.headers['terrane-tile']), /thinned=[1-9]/)
      for (const [filter, count] of Object.entries(filters)) {
        const reply = await tile('many', { filter })
        const expected = await numbersBy('many', filter)
        assert.equal(expected.length, count, filter)
        assert.equal(reply.statusCode, count === 0 ? 204 : 200, reply.body)
        assert.deepEqual(count === 0 ? [] : numbersIn(reply.rawPayload), expected, filter)
        assert.match(String(reply.headers['terrane-tile']), new RegExp(`drawn=${count},.*thinned=0`))
      }
      const again = await tile('many')
      assert.deepEqual(again.rawPayload, whole.rawPayload)
    })

    it('are thinned where the filter leaves more than a tile holds', async () => {
      const reply = await tile('many', { filter: 'n >= 0' })
      const [, drawn = 0, thinned = 0] =
        /drawn=(\d+), thinned=(\d+)/.exec(String(reply.headers['terrane-tile'])) ?? []
      assert.ok(Number(drawn) > 0 && Number(thinned) > 0, String(reply.headers['terrane-tile']))
      assert.equal(Number(drawn) + Number(thinned), rows)
      assert.equal(numbersIn(reply.rawPayload).length, Number(drawn))
    })

    it('are of the layer itself in a CRS that only GDAL knows', async () => {
      const filter = "day >= DATE('2024-02-27') AND S_INTERSECTS(geometry, BBOX(9,49,11,51))"
      const reply = await tile('far', { filter })
      assert.equal(reply.statusCode, 200, reply.body)
      const expected = await numbersBy('far', filter)
      assert.ok(expected.length > 10)
      assert.deepEqual(numbersIn(reply.rawPayload), expected)
    })

    it('are named by TileJSON that is asked for with the filter', async () => {
      const query = new URLSearchParams({
        filter: JSON.stringify({ op: '<', args: [{ property: 'n' }, 3] }),
        'filter-lang': 'cql2-json',
      })
      const { tiles } = (await get(`/tiles/default:many?${query}`)).json<{ tiles: [string] }>()
      const { pathname, search } = new URL(tiles[0].replace('{z}/{x}/{y}', '5/16/10'))
      const reply = await get(pathname + search)
      assert.deepEqual(numbersIn(reply.rawPayload), [0, 1, 2])
      assert.deepEqual(
        numbersIn((await tile('many', { filter: 'n < 3', properties: 'n' })).rawPayload),
        [0, 1, 2],
      )
    })

    it('are refused for what is not a filter of one layer as it is', async () => {
      const refused: [string, string, string][] = [
        ['default:many', 'filter=n%20%3C', 'invalid-filter'],
        ['default:many', 'filter=nothing%20%3D%201', 'invalid-filter'],
        ['default:many', 'filter=n%20%3D%201&filter-lang=sql', 'invalid-parameter'],
        ['default:many', 'filter=n%20%3D%201&filter-crs=nowhere', 'unknown-crs'],
        ['default:many', 'filter=n%20%3D%201&version=1', 'invalid-parameter'],
        ['default:many,default:far', 'filter=n%20%3D%201', 'invalid-parameter'],
      ]
      for (const [layers, query, code] of refused)
        for (const path of [`/tiles/${layers}`, `/tiles/${layers}/0/0/0.mvt`]) {
          const reply = await get(`${path}?${query}`)
          assert.deepEqual([reply.statusCode, reply.json<{ code: string }>().code], [400, code], reply.body)
        }
      const hidden = await get('/tiles/default:many/0/0/0.mvt?filter=nothing%20%3D%201', {})
      assert.equal(hidden.json<{ code: string }>().code, 'unknown-layer')
    })
  })
