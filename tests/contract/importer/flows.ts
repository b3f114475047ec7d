import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import {
  countFeatures,
  listOf,
  readItems,
  shareImporter,
  startClient,
} from '../../support/importer-client.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { testCluster } from '../../support/postgres.ts'
import { appendTransforms, gdalInfo, publishedPath } from '../../support/raster-imports.ts'
import { patience } from '../../support/until.ts'
import { startWebServer } from '../../support/web-server.ts'

/** A catalogue and a store of the workspace `topp`: its default store, or a named one of another type. */
export const flowPlaces = [
  { catalogue: 'SQLite', type: 'GeoPackage', store: 'topp' },
  { catalogue: 'SQLite', type: 'PostGIS', store: 'target' },
  { catalogue: 'PostgreSQL', type: 'PostGIS', store: 'topp' },
  { catalogue: 'PostgreSQL', type: 'GeoPackage', store: 'target' },
] as const
type Location = (typeof flowPlaces)[number]

const newDatabase = async (): Promise<string> => (await testCluster()).createDatabase()

/** A server with the workspace `topp` and in it the store of the place. */
async function startAt({ catalogue, type, store }: Location): Promise<ImporterClient> {
  const env: Record<string, string> =
    catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await newDatabase() }
  const client = await startClient({ env: { TERRANE_REMOTE_ALLOW: '127.0.0.1', ...env } })
  const create = async (url: string, payload: object): Promise<void> => {
    const { app, admin: headers } = client.server
    const reply = await app.inject({ method: 'POST', url, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
  }
  await create('/rest/workspaces', { workspace: { name: 'topp' } })
  if (store === 'topp') return client
  const connectionParameters =
    type === 'GeoPackage' ? {} : { dbtype: 'postgis', ...storeParameters(await newDatabase()) }
  await create('/rest/workspaces/topp/datastores', { dataStore: { name: store, type, connectionParameters } })
  return client
}

const workspace = { targetWorkspace: { workspace: { name: 'topp' } } }
const secret = 'tr0ub4dor&3'

/** Runs the flows of the contract with a catalogue and a store. */
export function describeFlows(place: Location): void {
  const { catalogue, type, store } = place
  const targetStore = { dataStore: { name: store } }

  describe(`flows of the contract into ${type}, catalogue in ${catalogue}`, () => {
    const shared = shareImporter(() => startAt(place))

    it('1: a directory becomes one layer for each file', async () => {
      const client = shared()
      for (const base of ['ne_110m_admin_0_boundary_lines_land', 'ne_110m_admin_1_states_provinces_shp']) {
        for (const ext of ['shp', 'shx', 'dbf', 'prj'])
          client.provide(`shapefile/${base}.${ext}`, `ne/${base}.${ext}`)
      }
      const created = await client.call('POST', '', {
        import: { ...workspace, targetStore, data: { type: 'directory', location: 'ne' } },
      })
      assert.equal(created.status, 201)
      const { import: made } = created.json
      const path = `/${made?.id}`
      assert.equal(created.headers.location, made?.href)
      assert.equal(made?.state, 'READY')
      assert.deepEqual(made?.targetStore, { dataStore: { name: store, type } })
      assert.equal(made?.data?.type, 'directory')
      assert.equal(made?.data?.format, 'Shapefile')
      const listed = await client.call('GET', `${path}/tasks`)
      assert.deepEqual(
        (listed.json.tasks as unknown as { state: string }[]).map((task) => task.state),
        ['READY', 'READY'],
      )
      const run = await client.call('POST', `${path}?async=true`)
      assert.equal(run.status, 204)
      const done = await pollUntil(client, path, 'COMPLETE')
      assert.equal(done.import?.tasks?.[1]?.state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'topp:ne_110m_admin_0_boundary_lines_land'), 185)
      assert.equal(await countFeatures(client, 'topp:ne_110m_admin_1_states_provinces_shp'), 51)
      const task = await client.call('GET', `${path}/tasks/0`)
      assert.equal(task.json.task?.rowsRead, 185)
      assert.equal(task.json.task?.rowsLoaded, 185)
      assert.deepEqual(task.json.task?.target?.dataStore, { name: store, type })
    })

    it('2: a task without CRS becomes READY by an srs and is executed', async () => {
      const client = shared()
      for (const ext of ['shp', 'shx', 'dbf']) client.provide(`shapefile/blockgroups.${ext}`)
      const created = await client.call('POST', '', {
        import: { ...workspace, targetStore, data: { type: 'file', file: 'blockgroups.shp' } },
      })
      const path = `/${created.json.import?.id}`
      assert.equal(created.json.import?.state, 'PENDING')
      assert.equal(created.json.import?.tasks?.[0]?.state, 'NO_CRS')
      const before = await client.call('GET', `${path}/tasks/0/layer`)
      assert.equal(before.json.layer?.srs, undefined)
      assert.ok(Array.isArray(before.json.layer?.srsCandidates))
      const refused = await client.call('POST', path)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /Task 0 is NO_CRS/)
      for (const srs of ['26713', 'EPSG:9838275', 'nonsense']) {
        const wrong = await client.call('PUT', `${path}/tasks/0/layer`, { layer: { srs } })
        assert.equal(wrong.status, 400)
      }
      const fixed = await client.call('PUT', `${path}/task/0/layer`, "{layer: {srs: 'EPSG:4326'}}")
      assert.equal(fixed.status, 200)
      assert.equal(fixed.json.layer?.srs, 'EPSG:4326')
      const now = await client.call('GET', path)
      assert.equal(now.json.import?.state, 'PENDING')
      assert.equal(now.json.import?.tasks?.[0]?.state, 'READY')
      assert.equal((await client.call('POST', path)).status, 204)
      assert.equal((await client.call('GET', path)).json.import?.state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'topp:blockgroups'), 663)
    })

    it('3: a table becomes points; APPEND adds to it, REPLACE swaps it', async () => {
      const client = shared()
      const load = async (csv: string, updateMode?: string): Promise<void> => {
        const created = await client.call('POST', '', { import: { ...workspace, targetStore } })
        const id = created.json.import?.id as unknown as number
        const uploaded = await client.upload(id, [{ name: 'places.csv', content: csv }], { name: 'test' })
        assert.equal(uploaded.status, 201, uploaded.text)
        assert.equal(uploaded.json.task?.state, 'NO_CRS')
        assert.equal(uploaded.headers.location, uploaded.json.task?.href)
        const task = `/${id}/tasks/0`
        assert.equal((await client.call('PUT', `${task}/layer`, { layer: { srs: 'EPSG:4326' } })).status, 200)
        const transform = await client.call('POST', `${task}/transforms`, {
          type: 'AttributesToPointGeometryTransform',
          latField: 'lat',
          lngField: 'lon',
        })
        assert.equal(transform.status, 201, transform.text)
        if (updateMode !== undefined) {
          const put = await client.call('PUT', task, { task: { updateMode } })
          assert.equal(put.status, 200)
          assert.equal(put.json.task?.updateMode, updateMode)
        }
        const ran = await client.call('POST', `/${id}`)
        assert.equal(ran.status, 204, ran.text)
        const done = await client.call('GET', `/${id}?expand=2`)
        assert.equal(done.json.import?.state, 'COMPLETE', done.text)
      }
      await load('name,lat,lon,pop\nA,1.5,10,5\nB,2,20,6\n')
      const items = await readItems(client, 'topp:places')
      assert.deepEqual(items.features?.[0]?.geometry, { type: 'Point', coordinates: [10, 1.5] })
      assert.equal(items.features?.[0]?.properties?.name, 'A')
      assert.equal(items.features?.[0]?.properties?.lat, undefined)
      await load('name,lat,lon,pop\nC,3,30,7\n', 'APPEND')
      assert.equal(await countFeatures(client, 'topp:places'), 3)
      await load('name,lat,lon,pop\nD,4,40,8\n', 'REPLACE')
      assert.equal(await countFeatures(client, 'topp:places'), 1)
      await load('name,lat,lon,pop\nE,5,50,9\n')
      assert.equal(await countFeatures(client, 'topp:places0'), 1)
    })

    it('4: an uploaded raster is warped, translated and given overviews', async () => {
      const client = shared()
      const created = await client.call('POST', '', { import: workspace })
      const id = Number(created.json.import?.id)
      const path = `/${id}`
      const content = readFileSync('tests/fixtures/raster/RGB.byte.tif')
      const uploaded = await client.upload(id, [{ name: 'scene.tif', content }])
      assert.equal(uploaded.status, 201, uploaded.text)
      assert.equal(uploaded.json.task?.state, 'READY')
      await appendTransforms(
        client,
        id,
        { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] },
        { type: 'RasterTranslateTransform', options: ['-co', 'TILED=YES', '-b', '1'] },
        { type: 'RasterOverviewTransform', options: ['-r', 'average'], levels: [2, 4] },
      )
      assert.equal((await client.call('POST', `${path}?async=true`)).status, 204)
      await pollUntil(client, path, 'COMPLETE')
      assert.equal((await client.call('GET', `${path}/tasks/0/layer`)).json.layer?.srs, 'EPSG:3857')
      const info = gdalInfo(await publishedPath(client, id))
      assert.match(String(info.coordinateSystem?.wkt), /ID\["EPSG",3857\]\]$/)
      const bands = listOf(info.bands)
      assert.equal(bands.length, 1)
      assert.deepEqual(bands[0]?.overviews, [{ size: [402, 368] }, { size: [201, 184] }])
      assert.deepEqual(bands[0]?.block, [256, 256])
    })

    it('5: a remote archive is fetched in the background, waited for and executed', async (test) => {
      const client = shared()
      const right = `Basic ${Buffer.from(`someone:${secret}`).toString('base64')}`
      const base = await startWebServer(test, ({ headers }, reply) => {
        if (headers.authorization === right) reply.end(readFileSync('tests/fixtures/archives/utf.zip'))
        else reply.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
      })
      const location = `${base}/utf.zip`
      const created = await client.call('POST', '?async=true', {
        import: {
          ...workspace,
          targetStore,
          data: { type: 'remote', location, username: 'someone', password: secret },
        },
      })
      assert.equal(created.status, 201)
      const id = Number(created.json.import?.id)
      const path = `/${id}`
      assert.equal(created.json.import?.state, 'INIT')
      await pollUntil(client, path, 'PENDING')
      assert.match(await documentOf(client, id), /"sealedPassword"/)
      assert.ok(!(await documentOf(client, id)).includes(secret))
      assert.equal((await client.call('POST', `${path}?async=true`)).status, 204)
      const done = await pollUntil(client, path, 'COMPLETE')
      assert.equal(done.import?.data?.type, 'remote')
      assert.equal(done.import?.tasks?.[0]?.state, 'COMPLETE')
      assert.ok((await countFeatures(client, 'topp:utf')) > 0)
      assert.doesNotMatch(await documentOf(client, id), /"sealedPassword"/)
    })
  })
}

async function pollUntil(client: ImporterClient, path: string, state: string) {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', path)
    if ((json.import?.state as unknown) === state) return json
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return assert.fail(
    `${path} did not become ${state}: ${(await client.call('GET', `${path}?expand=3`)).text}`,
  )
}

/** Returns an import as the catalogue database stores it. */
async function documentOf(client: ImporterClient, id: number): Promise<string> {
  const { kysely } = client.server.database
  const imports = kysely.selectFrom('imports').select('document')
  const row = await imports.where('id', '=', id).executeTakeFirstOrThrow()
  return row.document
}
