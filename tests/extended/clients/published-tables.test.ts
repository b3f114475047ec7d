import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { convertedVector } from '../../support/gdal-session.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { startQgis } from '../../support/qgis.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)

/** Relations that other programs made, each with the column that orders its rows. */
const relations = `
create table trees (id int primary key, name text, height float8, planted date, geom geometry(Point, 25832));
insert into trees select n, case when n % 7 = 0 then null else 'Bäume "' || n || '" <&>' end, n / 3.0,
  date '1999-12-31' + n, case when n % 11 = 0 then null else ST_SetSRID(ST_MakePoint(400000 + n * 37.25, 5500000 + n * 11.5), 25832) end
  from generate_series(1, 250) n;
create index on trees using gist (geom);
create view tall as select id, name, height, planted, ST_Transform(geom, 4326) as geom from trees where height > 20;
create materialized view planted_late as select * from trees where planted > '2000-05-01';
create table "Mixed Case" (id int primary key, name text, height float8, planted date, geom geometry(Point, 25832)) partition by range (id);
create table mixed_1 partition of "Mixed Case" for values from (0) to (100);
create table mixed_2 partition of "Mixed Case" for values from (100) to (1000);
insert into "Mixed Case" select * from trees;
analyze;`

const layers = { trees: 'trees', tall: 'tall', planted_late: 'planted_late', Mixed_Case: '"Mixed Case"' }

/** One line for each feature: attributes, and the position in degrees to seven digits, or nothing. */
type Lines = string[]

function lineOf(
  { id, name, height, planted }: Record<string, unknown>,
  point: readonly number[] | undefined,
): string {
  const place = point === undefined ? '' : point.map((value) => value.toFixed(6)).join(' ')
  return [
    id,
    name ?? null,
    Number(height).toFixed(9),
    String(planted).slice(0, 10).replaceAll('/', '-'),
    place,
  ].join('|')
}

describe('layers over tables of others, read by other programs', () => {
  const ends: (() => unknown)[] = []
  const cleanup = { after: (work: () => unknown) => ends.push(work) }
  let server: TestServer
  let database: string
  before(async () => {
    const cluster = await testCluster()
    database = await cluster.createDatabase()
    cleanup.after(async () => {
      await cluster.dropDatabase(database)
      await cluster.stop()
    })
    await runSql(database, `create schema city; set search_path = city, public; ${relations}`)
    server = await startServer(cleanup, temporaryData(cleanup))
    await server.call('PUT', '/rest/workspaces/default', { workspace: { public: true } })
    const parameters = storeParameters(database, 'city')
    await server.call('POST', '/rest/workspaces/default/datastores', {
      dataStore: { name: 'city', type: 'PostGIS', connectionParameters: parameters },
    })
    const { status, text } = await server.call('POST', '/rest/workspaces/default/datastores/city/tables', {
      publish: { exclude: ['mixed_*'] },
    })
    assert.equal(status, 200, text)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) await end()
  })

  async function bySql(table: string, point = 'ST_Transform(geom, 4326)'): Promise<Lines> {
    const rows = await runSql(
      database,
      `select id, name, height, planted::text, ST_X(p) as x, ST_Y(p) as y
       from (select *, ${point} as p from city.${table}) q order by id`,
    )
    return rows.map((row) =>
      lineOf(row, row['x'] === null ? undefined : [Number(row['x']), Number(row['y'])]),
    )
  }

  function byGdal(source: string, ...options: string[]): Lines {
    const text = convertedVector(source, ['-f', 'GeoJSON', '-t_srs', 'EPSG:4326', ...options])
    const { features } = JSON.parse(text) as {
      features: {
        properties: Record<string, unknown>
        geometry: { coordinates: number[] } | null
        id?: unknown
      }[]
    }
    return features
      .map(({ properties, geometry }) => lineOf(properties, geometry?.coordinates))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  }

  for (const [layer, table] of Object.entries(layers)) {
    it(`${layer} has the values of the table in GDAL, by OGC API and WFS`, async () => {
      const expected = await bySql(table)
      assert.ok(expected.length > 50)
      assert.deepEqual(byGdal(`OAPIF:${server.url}/ogc/collections/default:${layer}`), expected)
      for (const version of ['1.1.0', '2.0.0'])
        assert.deepEqual(byGdal(`WFS:${server.url}/wfs?VERSION=${version}`, `default:${layer}`), expected)
    })
  }

  it('have them in OWSLib', async () => {
    const script = `
import json, sys
from owslib.wfs import WebFeatureService
wfs = WebFeatureService(sys.argv[1], version='2.0.0')
found = {}
for layer in sys.argv[2:]:
    body = wfs.getfeature(typename=['default:' + layer], outputFormat='application/json').read()
    found[layer] = [[one['properties'], (one['geometry'] or {}).get('coordinates')] for one in json.loads(body)['features']]
print(json.dumps(found))`
    const { stdout } = await run(
      '/usr/bin/python3',
      ['-c', script, `${server.url}/wfs`, ...Object.keys(layers)],
      { maxBuffer: 1 << 26 },
    )
    const found = JSON.parse(stdout) as Record<string, [Record<string, unknown>, number[] | null][]>
    for (const [layer, table] of Object.entries(layers)) {
      const lines = (found[layer] ?? []).map(([properties, point]) => lineOf(properties, point ?? undefined))
      assert.deepEqual(
        lines.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
        await bySql(table, 'geom'),
        layer,
      )
    }
  })

  it('have them in QGIS', async () => {
    const qgis = startQgis(cleanup)
    const names = ['id', 'name']
    for (const [layer, table] of Object.entries(layers)) {
      const uri = ` url='${server.url}/ogc' typename='default:${layer}'`
      const { rows } = await qgis.ask<{ rows: unknown[][] }>({ do: 'features', kind: 'OAPIF', uri, names })
      const found = rows.map((row) => row.slice(0, 2).map(String).join('|')).sort()
      const expected = (await runSql(database, `select id, name from city.${table}`))
        .map(({ id, name }) => `${id}|${name ?? ''}`)
        .sort()
      assert.deepEqual(found, expected, layer)
    }
  })
})
