import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { clientOf } from '../../support/importer-client.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

const rows = Array.from({ length: 500 }, (_, at) => ({
  pop: at % 50 === 0 ? null : Math.round(1000 * Math.sin(at) ** 3) / 4,
  kind: at % 7 === 0 ? '' : `k${(at * at) % 11}`,
}))

function geoJson(): string {
  const features = rows.map((properties, at) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: [at / 10, 5] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

let cluster: PostgresCluster
let databaseUrl: string
before(async () => {
  cluster = await testCluster()
  databaseUrl = await cluster.createDatabase()
})
after(async () => {
  await cluster.dropDatabase(databaseUrl)
  await cluster.stop()
})

for (const kind of ['GeoPackage', 'PostGIS']) {
  describe(`POST /rest/layers/<layer>/styles, data in ${kind}`, () => {
    let terrane: TestApp
    before(async () => {
      const env: Record<string, string> = kind === 'PostGIS' ? { TERRANE_DATABASE_URL: databaseUrl } : {}
      terrane = await createTestApp({ env })
      const client = clientOf(terrane)
      await client.call('POST', '', { import: {} })
      await client.upload(0, [{ name: 'towns.geojson', content: geoJson() }])
      await client.call('POST', '/0')
    })
    after(() => terrane.close())
    const { send } = configurationClient(() => terrane)
    const make = (style: object) => send('POST', '/layers/default:towns/styles', { style })
    const styleOf = async (name: string) =>
      (await send('GET', `/workspaces/default/styles/${name}.maplibre`)).json()

    it('makes classes by the quantiles of SQL, nulls by a rule of their own, and draws the layer by them', async () => {
      const made = await make({ name: 'by-pop', default: true, classify: { attribute: 'pop', classes: 4 } })
      assert.equal(made.statusCode, 201, made.body)
      assert.equal(made.json().style.name, 'by-pop')
      const { layers } = await styleOf('by-pop')
      assert.equal(layers.length, 5)
      const uppers = layers
        .slice(0, 4)
        .map((layer: { filter: [string, unknown, [string, unknown, number]] }) => layer.filter[2][2])
      const list = rows.map(({ pop }) => (pop === null ? 'NULL' : String(pop))).join('), (')
      const sql = `SELECT unnest(percentile_disc(ARRAY[0.25, 0.5, 0.75, 1]) WITHIN GROUP (ORDER BY v)) AS bound FROM (VALUES (${list})) AS t (v)`
      const found = await runSql(databaseUrl, sql)
      assert.deepEqual(
        uppers,
        found.map(({ bound }) => Number(bound)),
      )
      const layer = (await send('GET', '/layers/default:towns')).json().layer
      assert.equal(layer.defaultStyle.name, 'by-pop')
      const tiles = await terrane.app.inject({
        url: '/tiles/default:towns/style.json',
        headers: terrane.admin,
      })
      assert.equal(tiles.json().layers.length, 5)
    })

    it('tells classes and categories before a style is made, as it makes them then', async () => {
      const response = await send(
        'GET',
        '/layers/default:towns/classes?attribute=pop&method=natural&classes=4',
      )
      assert.equal(response.statusCode, 200, response.body)
      const { classes } = response.json()
      await make({ name: 'same', classify: { attribute: 'pop', method: 'natural', classes: 4 } })
      const { layers } = await styleOf('same')
      const uppers = layers
        .slice(0, 4)
        .map((layer: { filter: [string, unknown, unknown[]] }) => layer.filter[2][2])
      assert.deepEqual(classes.bounds, uppers)
      const values = rows.flatMap(({ pop }) => pop ?? [])
      assert.equal(classes.min, Math.min(...values))
      assert.equal(classes.rows, values.length)
      const width = (Math.max(...values) - classes.min) / classes.histogram.length
      const counts = classes.histogram.map(() => 0)
      for (const value of values)
        counts[Math.min(counts.length - 1, Math.floor((value - classes.min) / width))] += 1
      assert.deepEqual(classes.histogram, counts)
      const kinds = (await send('GET', '/layers/default:towns/classes?attribute=kind&classes=3')).json()
        .classes
      assert.equal(kinds.categories.length, 3)
      assert.equal(kinds.hasOthers, true)
      for (const { value, count } of kinds.categories)
        assert.equal(count, rows.filter(({ kind: one }) => one === value).length)
    })

    it('tells the palettes with as many colours as are asked for', async () => {
      const { palettes } = (await send('GET', '/palettes?classes=7')).json()
      assert.ok(palettes.length > 5)
      for (const { colors } of palettes) assert.equal(colors.length, 7)
      assert.equal((await send('GET', '/palettes?classes=0')).statusCode, 400)
    })

    it('makes categories, the most frequent first, then others, then none', async () => {
      const made = await make({ name: 'by-kind', classify: { attribute: 'kind', classes: 3 } })
      assert.equal(made.statusCode, 201, made.body)
      const ids = (await styleOf('by-kind')).layers.map(({ id }: { id: string }) => id)
      assert.deepEqual(ids, ['category 1', 'category 2', 'category 3', 'other values', 'no value'])
    })

    it('refuses what cannot be', async () => {
      const refused: [object, string][] = [
        [{ name: 'x', classify: { attribute: 'nope' } }, 'unknown-attribute'],
        [{ name: 'x', classify: { attribute: 'kind', method: 'natural' } }, 'not-a-number'],
      ]
      for (const [style, code] of refused) assert.equal((await make(style)).json().code, code)
      assert.equal((await make({ name: 'x', classify: { attribute: 'pop', classes: 0 } })).statusCode, 400)
      assert.equal(
        (await make({ name: 'x', classify: { attribute: 'pop', palette: 'rainbow' } })).statusCode,
        400,
      )
    })
  })
}
