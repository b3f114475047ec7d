import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { startQgis } from '../../support/qgis.ts'
import { seededNumbers } from '../../support/seeded-numbers.ts'

const file = join(import.meta.dirname, '../../../sample/natural-earth/countries.geojson')
const [columns, rows] = [600, 400]
const clicks = 150

/** Maps in four systems, as `[west, south, east, north]`. */
const maps: Record<string, [number, number, number, number]> = {
  'EPSG:3857': [-2e7, -8e6, 2e7, 1.2e7],
  'EPSG:4326': [-30, -40, 120, 70],
  'EPSG:3035': [2.5e6, 1.4e6, 6.5e6, 5e6],
  'EPSG:32633': [-1e6, 4e6, 1.5e6, 7e6],
}

interface Click {
  i: number
  j: number
  /** The middle of the cell. */
  x: number
  y: number
}

function listClicks([west, south, east, north]: [number, number, number, number]): Click[] {
  const random = seededNumbers(11)
  return Array.from({ length: clicks }, () => {
    const [i, j] = [Math.floor(random() * columns), Math.floor(random() * rows)]
    const x = west + ((i + 0.5) * (east - west)) / columns
    return { i, j, x, y: north - ((j + 0.5) * (north - south)) / rows }
  })
}

describe('features at random clicks', () => {
  const ends: (() => void)[] = []
  const clients: Record<string, ImporterClient> = {}
  let databaseUrl: string
  let table: string
  let qgis: Qgis

  before(async () => {
    databaseUrl = await (await testCluster()).createDatabase()
    const settings = { GeoPackage: {}, PostGIS: { TERRANE_DATABASE_URL: databaseUrl } }
    for (const [store, env] of Object.entries(settings)) {
      const client = clientOf(await createTestApp({ env }))
      clients[store] = client
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'lands.geojson', content: readFileSync(file, 'utf8') }])
      await client.call('POST', `/${id}`)
    }
    const found = await runSql(
      databaseUrl,
      "select format('%I.%I', f_table_schema, f_table_name) as name, f_geometry_column as geom from geometry_columns where f_table_name = 'lands'",
    )
    table = String(found[0]?.name)
    qgis = startQgis({ after: (work: () => void) => ends.push(work) })
  })
  after(async () => {
    for (const client of Object.values(clients)) await client.server.close()
    for (const end of ends) end()
  })

  for (const [crs, box] of Object.entries(maps)) {
    const points = listClicks(box)

    it(`are those that PostGIS finds by ST_Intersects, and QGIS by a click, in ${crs}`, async () => {
      const places = points.map(({ x, y }, at) => `(${at}, ${x}::float8, ${y}::float8)`).join(', ')
      const srid = crs.slice('EPSG:'.length)
      const truth = points.map((): string[] => [])
      const found = await runSql(
        databaseUrl,
        `select at, "NAME" as name from (values ${places}) as clicks (at, x, y) join ${table} as lands
           on st_intersects(lands.geometry, st_transform(st_setsrid(st_point(x, y), ${srid}), st_srid(lands.geometry)))`,
      )
      for (const { at, name } of found) truth[Number(at)]?.push(String(name))
      const inQgis = await qgis.ask<{ names: string[][] }>({
        do: 'identify',
        kind: 'ogr',
        uri: file,
        name: 'NAME',
        crs,
        extent: box,
        points: points.map(({ x, y }) => [x, y]),
      })
      const sorted = truth.map((names) => names.sort())
      assert.deepEqual(inQgis.names, sorted)
      assert.ok(sorted.filter((names) => names.length > 0).length > clicks / 5)
      for (const client of Object.values(clients)) {
        const reported = await Promise.all(points.map((click) => namesAt(client, { crs, box, click })))
        assert.deepEqual(reported, sorted)
      }
    })
  }
})

async function namesAt(
  { server }: ImporterClient,
  { crs, box, click: { i, j } }: { crs: string; box: number[]; click: Click },
): Promise<string[]> {
  const url =
    `/wms?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=default:lands&query_layers=default:lands&styles=` +
    `&srs=${crs}&bbox=${box.join()}&width=${columns}&height=${rows}&x=${i}&y=${j}&feature_count=9&info_format=application/json`
  const reply = await server.app.inject({ method: 'GET', url, headers: server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  const { features } = reply.json() as { features: { properties: { NAME: string } }[] }
  return features.map(({ properties }) => properties.NAME).sort()
}
