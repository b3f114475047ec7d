import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { needsGdal, testFolder } from '../../support/gdal-files.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { testCluster } from '../../support/postgres.ts'

interface Feature {
  id: string | number
  properties: Record<string, unknown>
}

const taskOf = async (client: ImporterClient, path: string): Promise<Json> =>
  (await client.call('GET', `${path}/tasks/0`)).json.task as Json

const attributesOf = async (client: ImporterClient, path: string): Promise<string[]> =>
  listOf<{ name: string }>(
    ((await client.call('GET', `${path}/tasks/0/layer`)).json.layer as Json).attributes,
  ).map(({ name }) => name)

const featuresOf = async (client: ImporterClient, layer: string): Promise<Feature[]> =>
  listOf<Feature>((await readItems(client, `default:${layer}`)).features)

/** A GeoPackage whose FID column is called `fid`, with these rows. */
async function geopackage(test: TestContext, fid: string, rows: [number, string][]): Promise<Buffer> {
  const folder = await testFolder(test)
  const csv = join(folder, 'a.csv')
  const path = join(folder, 'a.gpkg')
  writeFileSync(csv, ['k,name,x,y', ...rows.map(([id, name]) => `${id},${name},${id % 90},1`)].join('\n'))
  const sql = `SELECT CAST(k AS integer) AS k, name FROM a`
  const options = ['-oo', 'X_POSSIBLE_NAMES=x', '-oo', 'Y_POSSIBLE_NAMES=y', '-a_srs', 'EPSG:4326']
  execFileSync('ogr2ogr', [
    '-f',
    'GPKG',
    path,
    csv,
    ...options,
    '-nln',
    'pts',
    '-lco',
    `FID=${fid}`,
    '-lco',
    'SPATIAL_INDEX=NO',
    '-sql',
    sql,
  ])
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA foreign_keys = OFF; UPDATE pts SET "${fid}" = -"${fid}"; UPDATE pts SET "${fid}" = k`)
  db.exec('ALTER TABLE pts DROP COLUMN k')
  db.close()
  return readFileSync(path)
}

/** An import of a file into a store, so that it is loaded. */
async function upload(client: ImporterClient, name: string, content: Uint8Array | string): Promise<string> {
  const target = { targetStore: { dataStore: { name: 'target' } } }
  const id = Number((await client.call('POST', '', { import: target })).json.import?.id)
  const sent = await client.upload(id, [{ name, content }])
  assert.equal(sent.status, 201, sent.text)
  return `/${id}`
}

/** A store of each type in the workspace `default`, named `target`. */
const stores = {
  GeoPackage: async () => ({ name: 'target', type: 'GeoPackage' }),
  PostGIS: async () => {
    const { hostname, port, pathname, username, password } = new URL(
      await (await testCluster()).createDatabase(),
    )
    const place = { host: hostname, port, database: pathname.slice(1), user: username, passwd: password }
    return { name: 'target', type: 'PostGIS', connectionParameters: { ...place, schema: 'public' } }
  },
}

async function startWith(
  test: TestContext,
  store: keyof typeof stores,
  env: Record<string, string> = {},
): Promise<ImporterClient> {
  const client = await startImporter(test, { env })
  const reply = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: await stores[store]() },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return client
}

async function run(client: ImporterClient, path: string): Promise<Json> {
  const reply = await client.call('POST', path)
  assert.equal(reply.status, 204, reply.text)
  return taskOf(client, path)
}

const codesOf = (task: Json): string[] => listOf<{ code: string }>(task.messages).map(({ code }) => code)

/** ESRI JSON with an OBJECTID. */
const esriJson = JSON.stringify({
  geometryType: 'esriGeometryPoint',
  spatialReference: { wkid: 4326 },
  fields: [
    { name: 'OBJECTID', type: 'esriFieldTypeOID' },
    { name: 'k', type: 'esriFieldTypeString', length: 5 },
  ],
  features: [
    { attributes: { OBJECTID: 501, k: 'x' }, geometry: { x: 1, y: 2 } },
    { attributes: { OBJECTID: 777, k: null }, geometry: { x: 3, y: 4 } },
  ],
})

for (const store of ['GeoPackage', 'PostGIS'] as const) {
  describe(`identity columns, into ${store}`, needsGdal, () => {
    it('are attributes under their own names, and proposed as the key of an UPSERT', async (test) => {
      const client = await startWith(test, store)
      const path = await upload(
        client,
        'pts.gpkg',
        await geopackage(test, 'gid', [
          [1_000_000_007, 'a'],
          [12, 'b'],
        ]),
      )
      assert.deepEqual(await attributesOf(client, path), ['geom', 'gid', 'name'])
      assert.equal((await run(client, path)).state, 'COMPLETE')
      assert.deepEqual(
        (await featuresOf(client, 'pts')).map(({ properties }) => properties),
        [
          { gid: 12, name: 'b' },
          { gid: 1_000_000_007, name: 'a' },
        ],
      )
      const objects = await upload(client, 'objects.esrijson', esriJson)
      assert.equal((await run(client, objects)).state, 'COMPLETE')
      assert.deepEqual(
        (await featuresOf(client, 'objects')).map(({ properties }) => properties),
        [
          { OBJECTID: 501, k: 'x' },
          { OBJECTID: 777, k: null },
        ],
      )

      const next = await upload(
        client,
        'pts.gpkg',
        await geopackage(test, 'gid', [
          [12, 'B'],
          [13, 'c'],
        ]),
      )
      const put = await client.call('PUT', `${next}/tasks/0`, { task: { updateMode: 'UPSERT' } })
      assert.equal(put.status, 200, put.text)
      const found = await client.call('GET', `${next}/tasks/0/proposals?wait=60`)
      assert.deepEqual(
        listOf<Json>(found.json.proposals).map(({ keys }) => keys),
        [['gid'], ['name']],
      )
      await client.call('PUT', `${next}/tasks/0`, { task: { keys: ['gid'] } })
      assert.equal((await run(client, next)).state, 'COMPLETE')
      assert.deepEqual(
        (await featuresOf(client, 'pts')).map(
          ({ properties }) => `${properties['gid']} ${properties['name']}`,
        ),
        ['12 B', '1000000007 a', '13 c'],
      )
    })

    it('stay the ids where the store calls its own so, and are proposed as the key', async (test) => {
      const client = await startWith(test, store)
      const path = await upload(
        client,
        'pts.gpkg',
        await geopackage(test, 'fid', [
          [1_000_000_007, 'a'],
          [12, 'b'],
        ]),
      )
      assert.deepEqual(await attributesOf(client, path), ['geom', 'fid', 'name'])
      assert.equal((await run(client, path)).state, 'COMPLETE')
      const expected = [
        ['12', { name: 'b' }],
        ['1000000007', { name: 'a' }],
      ]
      const shown = async () =>
        (await featuresOf(client, 'pts')).map(({ id, properties }) => [String(id), properties])
      assert.deepEqual(await shown(), expected)

      const next = await upload(
        client,
        'pts.gpkg',
        await geopackage(test, 'fid', [
          [12, 'B'],
          [40, 'c'],
        ]),
      )
      await client.call('PUT', `${next}/tasks/0`, { task: { updateMode: 'UPSERT' } })
      const found = await client.call('GET', `${next}/tasks/0/proposals?wait=60`)
      const [first] = listOf<Json>(found.json.proposals)
      assert.deepEqual([first?.keys, first?.rows], [['fid'], { data: 2, layer: 2, found: 1 }])
      await client.call('PUT', `${next}/tasks/0`, { task: { keys: ['fid'] } })
      const tried = await client.call('POST', `${next}/dry-run`)
      const [dryRun] = listOf<Json>((tried.json.dryRun as Json | undefined)?.tasks)
      assert.deepEqual(
        dryRun?.changes,
        { added: 1, changed: 1, removed: 0, same: 0, matchedBy: ['fid'] },
        tried.text,
      )
      assert.equal((await run(client, next)).state, 'COMPLETE')
      assert.deepEqual(await shown(), [['12', { name: 'B' }], ['40', { name: 'c' }], expected[1]])

      const appended = await upload(client, 'pts.gpkg', await geopackage(test, 'fid', [[12, 'd']]))
      await client.call('PUT', `${appended}/tasks/0`, { task: { updateMode: 'APPEND' } })
      const task = await run(client, appended)
      assert.deepEqual([task.state, codesOf(task)], ['COMPLETE', ['ids-not-reused']])
      assert.deepEqual((await shown()).at(-1), ['1000000008', { name: 'd' }])
    })

    it('are dropped only where the list of attributes leaves them out', async (test) => {
      const client = await startWith(test, store)
      const content = await geopackage(test, 'gid', [[7, 'a']])
      const path = await upload(client, 'dropped.gpkg', content)
      await client.call('PUT', `${path}/tasks/0/layer`, {
        layer: { name: 'dropped', attributes: [{ name: 'name', binding: 'java.lang.String' }] },
      })
      assert.equal((await run(client, path)).state, 'COMPLETE')
      assert.deepEqual((await featuresOf(client, 'dropped'))[0]?.properties, { name: 'a' })

      const older = await startWith(test, store, { TERRANE_DIALECT: 'geoserver' })
      const again = await upload(older, 'kept.gpkg', content)
      assert.deepEqual(await attributesOf(older, again), ['geom', 'name'])
      const put = await older.call('PUT', `${again}/tasks/0/layer`, {
        layer: { name: 'kept', attributes: [{ name: 'title', source: 'name', binding: 'java.lang.String' }] },
      })
      assert.equal(put.status, 202, put.text)
      assert.equal((await run(older, again)).state, 'COMPLETE')
      assert.deepEqual(await attributesOf(older, again), ['geom', 'title'])
      assert.deepEqual((await featuresOf(older, 'kept'))[0]?.properties, { gid: 7, title: 'a' })
    })

    it('named as keys that are not there are refused, or end the run with a code', async (test) => {
      const client = await startWith(test, store)
      const first = await upload(client, 'pts.gpkg', await geopackage(test, 'gid', [[7, 'a']]))
      assert.equal((await run(client, first)).state, 'COMPLETE')
      const path = await upload(client, 'pts.gpkg', await geopackage(test, 'gid', [[7, 'b']]))
      const put = (task: object) => client.call('PUT', `${path}/tasks/0`, { task })
      for (const keys of [['nope'], ['gid', 'nope'], ['']]) {
        const refused = await put({ updateMode: 'UPSERT', keys })
        assert.equal(refused.status, 400, refused.text)
      }
      const { updateMode } = await taskOf(client, path)
      assert.equal(updateMode, 'CREATE')
      // `fid` is in the layer alone; a column that the attributes leave out is not in the data any more.
      assert.equal((await put({ updateMode: 'UPSERT', keys: ['fid'] })).json.code, 'invalid-keys')
      const kept = await put({ updateMode: 'UPSERT', keys: ['gid'] })
      assert.equal(kept.status, 200, kept.text)
      const without = await put({ layer: { attributes: [{ name: 'name', binding: 'java.lang.String' }] } })
      assert.deepEqual([without.status, without.json.code], [400, 'invalid-keys'])
      // The columns of a layer that does not exist are unknown.
      assert.equal((await put({ layer: { name: 'later' } })).status, 200)
      const later = await upload(client, 'later.gpkg', await geopackage(test, 'other', [[7, 'b']]))
      await client.call('PUT', `${later}/tasks/0/layer`, { layer: { name: 'later' } })
      assert.equal((await run(client, later)).state, 'COMPLETE')
      const task = await run(client, path)
      assert.deepEqual([task.state, task.errorCode], ['ERROR', 'invalid-keys'])
    })
  })
}
