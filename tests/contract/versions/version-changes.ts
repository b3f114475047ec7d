import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

interface Row {
  change: string
  featureId: string
  key: Record<string, unknown>
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

type VersionChangesBody = {
  version: number
  against: number
  changes: Record<'added' | 'changed' | 'removed' | 'same', number | null> & { matchedBy: string[] }
  rows: { features: { properties: Row; geometry: { coordinates: number[] } | null }[] }
}

async function changesOf(
  server: TestApp,
  layer: string,
  version: number,
  query = '',
): Promise<VersionChangesBody> {
  const url = `/rest/layers/default:${layer}/versions/${version}/changes${query}`
  const { status, json, text } = await ask(server, 'GET', url)
  assert.equal(status, 200, text)
  return json as unknown as VersionChangesBody
}

const rowsOf = ({ rows }: VersionChangesBody) =>
  rows.features.map(({ properties }) => [
    properties.change,
    properties.before?.['name'] ?? null,
    properties.after?.['name'] ?? null,
  ])

/** Loads a table of `id, kind, x, y` by its keys. */
async function importRows(
  server: TestApp,
  { name, store, mode, rows }: { name: string; store: string; mode: string; rows: string },
): Promise<void> {
  const client = clientOf(server)
  const created = await client.call('POST', '', { import: { targetStore: { dataStore: { name: store } } } })
  const id = Number(created.json.import?.id)
  const uploaded = await client.upload(id, [{ name: `${name}.csv`, content: `id,kind,x,y\n${rows}` }])
  assert.equal(uploaded.status, 201, uploaded.text)
  const points = { type: 'AttributesToPointGeometryTransform', latField: 'y', lngField: 'x' }
  const task = {
    updateMode: mode,
    layer: { name, srs: 'EPSG:4326' },
    ...(mode === 'CREATE' ? {} : { keys: ['id'] }),
    transformChain: { type: 'vector', transforms: [points] },
  }
  const changed = await client.call('PUT', `/${id}/tasks/0`, { task })
  assert.equal(changed.status, 200, changed.text)
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

const catalogues = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }),
}

/** Tests versions of layers in both types of stores, with one catalogue. */
export function describeChanges(catalogue: keyof typeof catalogues): void {
  describe(`changes between versions, catalogue in ${catalogue}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: { TERRANE_LOADS: '1', ...(await catalogues[catalogue]()) } })
      for (const [name, type, connectionParameters] of [
        ['file', 'GeoPackage', {}],
        ['table', 'PostGIS', storeParameters(await fileDatabase(), 'public')],
      ] as const) {
        const dataStore = { name, type, connectionParameters }
        await ask(server, 'POST', '/rest/workspaces/default/datastores', { dataStore })
      }
    })
    after(() => server.close())

    for (const store of ['file', 'table']) {
      it(`match whole rows where nothing else tells, in store ${store}`, async () => {
        const name = `whole_${store}`
        await importPoints(server, {
          name,
          store,
          points: [
            ['a', 0, 0],
            ['a', 0, 0],
            ['b', 1, 1],
          ],
        })
        await importPoints(server, {
          name,
          store,
          mode: 'REPLACE',
          points: [
            ['a', 0, 0],
            ['c', 1, 1],
          ],
        })
        const body = await changesOf(server, name, 1)
        assert.deepEqual(
          [body.version, body.against, body.changes],
          [1, 2, { added: 1, changed: null, removed: 2, same: 1, matchedBy: [] }],
        )
        assert.deepEqual(rowsOf(body).sort(), [
          ['added', null, 'c'],
          ['removed', 'a', null],
          ['removed', 'b', null],
        ])
        const back = await changesOf(server, name, 2, '?against=1')
        assert.deepEqual(back.changes, { added: 2, changed: null, removed: 1, same: 1, matchedBy: [] })
        assert.deepEqual(rowsOf(await changesOf(server, name, 1, '?against=1')), [])
      })

      it(`match by the keys of the import, in store ${store}`, async () => {
        const name = `keyed_${store}`
        await importRows(server, { name, store, mode: 'CREATE', rows: '1,oak,1,2\n2,ash,3,4\n3,fir,5,6' })
        await importRows(server, { name, store, mode: 'REPLACE', rows: '4,yew,7,8\n3,fir,5,6\n2,elm,3,4' })
        const body = await changesOf(server, name, 1, '?against=2')
        assert.deepEqual(body.changes, { added: 1, changed: 1, removed: 1, same: 1, matchedBy: ['id'] })
        assert.deepEqual(
          body.rows.features.map(({ properties: { change, key, before: was, after: is } }) => [
            change,
            key,
            was?.['kind'],
            is?.['kind'],
          ]),
          [
            ['removed', { id: 1 }, 'oak', undefined],
            ['changed', { id: 2 }, 'ash', 'elm'],
            ['added', { id: 4 }, undefined, 'yew'],
          ],
        )
        assert.deepEqual(body.rows.features[2]?.geometry?.coordinates, [7, 8])
        // A restore is a version too, and its rows came by no keys.
        assert.equal((await restore(server, `default:${name}`, 1)).status, 200)
        const undone = await changesOf(server, name, 1, '?against=3')
        assert.deepEqual([undone.changes.added, undone.changes.removed, undone.changes.same], [0, 0, 3])
      })

      it(`match by feature ids over upserts and additions, in store ${store}`, async () => {
        const name = `ids_${store}`
        await importRows(server, { name, store, mode: 'CREATE', rows: '1,oak,1,2\n2,ash,3,4\n2,ash,3,4' })
        await importRows(server, { name, store, mode: 'APPEND', rows: '2,fir,5,6' })
        const title = { layer: { title: 'Other' } }
        assert.equal((await ask(server, 'PUT', `/rest/layers/default:${name}`, title)).status, 200)
        await importRows(server, { name, store, mode: 'APPEND', rows: '7,yew,5,6' })
        assert.deepEqual((await changesOf(server, name, 1)).changes, {
          added: 1,
          changed: 0,
          removed: 0,
          same: 3,
          matchedBy: [],
        })
        assert.deepEqual((await changesOf(server, name, 2)).changes, {
          added: 0,
          changed: 0,
          removed: 0,
          same: 4,
          matchedBy: [],
        })
        assert.deepEqual((await changesOf(server, name, 4, '?against=1')).changes, {
          added: 0,
          changed: 0,
          removed: 2,
          same: 3,
          matchedBy: [],
        })
        const upserted = `upserted_${store}`
        await importRows(server, { name: upserted, store, mode: 'CREATE', rows: '1,oak,1,2\n2,ash,3,4' })
        await importRows(server, { name: upserted, store, mode: 'UPSERT', rows: '2,elm,9,9\n3,fir,5,6' })
        const body = await changesOf(server, upserted, 1)
        assert.deepEqual(body.changes, { added: 1, changed: 1, removed: 0, same: 1, matchedBy: [] })
        const url = `/ogc/collections/default:${upserted}/items`
        const { features } = (await ask(server, 'GET', url)).json as unknown as {
          features: { id: unknown; properties: { id: number } }[]
        }
        const elm = features.find(({ properties }) => properties.id === 2)
        assert.equal(body.rows.features[0]?.properties.featureId, String(elm?.id))
        const path = `/rest/layers/default:${upserted}/versions/1/changes`
        const csv = await ask(server, 'GET', `${path}?format=csv&limit=1&offset=1`)
        assert.match(csv.text, /^change,feature_id,id_before,id_after,kind_before,kind_after.*\r\nadded,/)
        assert.equal(csv.text.trim().split('\r\n').length, 2)
        const geoJson = await ask(server, 'GET', `${path}?format=geojson`)
        assert.match(String(geoJson.headers['content-type']), /geo\+json/)
        assert.equal((JSON.parse(geoJson.text) as VersionChangesBody['rows']).features.length, 2)
      })

      it(`say why a version cannot be read, in store ${store}`, async () => {
        const url = `/rest/workspaces/default/datastores/${store}`
        const name = `unkept_${store}`
        await importPoints(server, { name, store })
        assert.equal((await ask(server, 'PUT', url, { dataStore: { versions: false } })).status, 200)
        await importPoints(server, { name, store, mode: 'REPLACE' })
        assert.equal((await ask(server, 'PUT', url, { dataStore: { versions: true } })).status, 200)
        const path = `/rest/layers/default:${name}/versions`
        const lost = await ask(server, 'GET', `${path}/1/changes`)
        assert.deepEqual([lost.status, String(lost.json.code)], [409, 'not-restorable'])
        assert.match(lost.text, /keeps no versions/)
        const [present] = await versionsOf(server, `default:${name}`)
        const latest = await ask(server, 'GET', `${path}/${present?.version}/changes`)
        assert.deepEqual([latest.status, String(latest.json.code)], [400, 'invalid-parameter'])
        const unknown = await ask(server, 'GET', `${path}/${present?.version}/changes?against=99`)
        assert.deepEqual([unknown.status, String(unknown.json.code)], [404, 'unknown-version'])
        const anonymous = await server.app.inject({ url: `${path}/2/changes?against=2` })
        assert.equal(anonymous.statusCode, 401)
        const wrong = basicAuth('nobody', 'a-long-password')
        assert.equal((await ask(server, 'GET', `${path}/2/changes`, undefined, wrong)).status, 401)
      })
    }

    it('compare systems, not texts: a Shapefile with its .prj and the same rows with a code', async () => {
      const client = clientOf(server)
      const stem = 'ne_110m_admin_0_boundary_lines_land'
      const shapefile = ['shp', 'shx', 'dbf', 'prj'].map((extension) => ({
        name: `lines.${extension}`,
        content: readFileSync(`tests/fixtures/shapefile/${stem}.${extension}`),
      }))
      for (const mode of ['CREATE', 'REPLACE']) {
        const id = Number((await client.call('POST', '')).json.import?.id)
        assert.equal((await client.upload(id, shapefile)).status, 201)
        if (mode === 'REPLACE') await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
        await client.call('POST', `/${id}`)
        const done = await client.call('GET', `/${id}`)
        assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
      }
      const { changes } = await changesOf(server, 'lines', 2, '?against=1')
      assert.deepEqual([changes.added, changes.removed], [0, 0])
    })
  })
}
