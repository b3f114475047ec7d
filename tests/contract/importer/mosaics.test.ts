import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findStore } from '../../../src/catalog/rows/store-rows.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf } from '../../support/importer-client.ts'
import type { MosaicServer } from '../../support/mosaics.ts'
import { createMosaic, indexStores, runMosaic, startMosaics } from '../../support/mosaics.ts'

interface Granule {
  properties: { file: string; time: string | null }
  links: { href: string }[]
}

async function granulesOf(client: MosaicServer, layer: string, query = ''): Promise<Granule[]> {
  const { status, json } = await client.read(layer, `/granules${query}`)
  assert.equal(status, 200)
  return listOf<Granule>(json.features)
}

async function timesOf(
  client: MosaicServer,
  layer: string,
  query = '',
): Promise<Record<string, string | null>> {
  const granules = await granulesOf(client, layer, query)
  return Object.fromEntries(granules.map(({ properties: { file, time } }) => [file, time]))
}

async function tablesOf(client: MosaicServer): Promise<string[]> {
  const { catalog, database } = client.server
  const store = await findStore(database.kysely, 'default', 'default')
  return store === undefined ? [] : (await catalog.stores.open(store)).listTables()
}

/** Names of our own granule files, in their folders. */
function ownFiles(client: MosaicServer): string[] {
  const folder = join(client.server.dataDir, 'stores', 'default')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tif|part)$/.test(name),
  )
}

async function remove(client: MosaicServer, url: string): Promise<void> {
  const { app, admin } = client.server
  const reply = await app.inject({ method: 'DELETE', url, headers: admin })
  assert.equal(reply.statusCode, 200, reply.body)
}

async function changeTask(client: MosaicServer, importId: number, task: object): Promise<Json> {
  const { status, json, text } = await client.call('PUT', `/${importId}/tasks/0`, { task })
  assert.equal(status, 200, text)
  return json.task ?? assert.fail(text)
}

for (const store of indexStores) {
  describe(`a mosaic whose index is in ${store}`, () => {
    it('makes one task of a folder of tiles, and one coverage with their common extent and bands', async (test) => {
      const client = await startMosaics(test, store)
      for (const tile of [1, 2, 3, 4]) client.provide(`mosaic/rgb${tile}.tif`, `tiles/rgb${tile}.tif`)
      const id = await createMosaic(client, 'tiles')
      const { json } = await client.call('GET', `/${id}?expand=3`)
      const [task, ...others] = listOf(json.import?.tasks)
      assert.equal(others.length, 0)
      assert.equal(task?.state, 'NO_CRS')
      assert.equal(task?.data?.type, 'mosaic')
      assert.equal(task?.data?.format, 'GeoTIFF')
      assert.deepEqual(
        listOf(task?.data?.files).map(({ file }) => file),
        ['rgb1.tif', 'rgb2.tif', 'rgb3.tif', 'rgb4.tif'],
      )
      const { name, type } = task?.target?.coverageStore ?? {}
      assert.deepEqual([name, type], ['tiles', 'ImageMosaic'])
      assert.equal(task?.transformChain?.type, 'raster')
      await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:32618' } })
      const done = await runMosaic(client, id)
      assert.equal(done.state, 'COMPLETE', String(done.errorMessage))
      const { json: collection } = await client.read('tiles')
      assert.equal(collection.itemType, 'coverage')
      assert.equal(collection.granuleCount, 4)
      assert.equal(listOf(collection.bands).length, 3)
      assert.match(String(collection.storageCrs), /32618$/)
      const [[west = 0, south = 0, east = 0, north = 0] = []] = listOf<number[]>(
        collection.extent?.spatial?.bbox,
      )
      assert.ok(west < -78.8 && west > -79.1 && south < 23.7 && south > 23.5, String([west, south]))
      assert.ok(east > -76.6 && north > 25.5, String([east, north]))
      assert.deepEqual(ownFiles(client), [])
      const [first] = await granulesOf(client, 'tiles')
      const { href = '' } = first?.links[0] ?? {}
      const { app, admin } = client.server
      const file = await app.inject({ method: 'GET', url: new URL(href).pathname, headers: admin })
      assert.deepEqual(file.rawPayload, readFileSync('tests/fixtures/mosaic/rgb1.tif'))
    })

    it('has the times of its granules as its time dimension', async (test) => {
      const client = await startMosaics(test, store)
      for (const [column, month] of ['03', '01', '01', '02'].entries())
        client.granule(`ndvi/${'abcd'[column]}_2020${month}.tif`, { column })
      const id = await createMosaic(client, 'ndvi', { mode: 'AUTO' })
      assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
      const { json } = await client.read('ndvi')
      const [january, february, march] = [1, 2, 3].map((month) => `2020-0${month}-01T00:00:00.000Z`)
      assert.deepEqual(json.extent?.temporal?.interval, [[january, march]])
      assert.deepEqual(json.extent?.temporal?.values, [january, february, march])
      assert.deepEqual(Object.keys(await timesOf(client, 'ndvi', '?datetime=2020-01-01/2020-01-31')), [
        'b_202001.tif',
        'c_202001.tif',
      ])
      const first = await client.read('ndvi', '/granules?limit=3')
      assert.equal(first.json.numberMatched, 4)
      assert.equal(first.json.numberReturned, 3)
      assert.ok(
        listOf(first.json.links).some(
          ({ rel, href }) => String(rel) === 'next' && /granules\?/.test(String(href)),
        ),
      )
    })

    it('takes granules that are uploaded, keeps them below the data directory, and adds more of them', async (test) => {
      const client = await startMosaics(test, store)
      client.granule('../made/a_20200101.tif')
      client.granule('../made/b_20200201.tif', { column: 1 })
      client.granule('../made/c_20200301.tif', { column: 2 })
      const part = (name: string) => ({
        name,
        content: readFileSync(join(client.server.dataDir, 'made', name)),
      })
      const id = await createMosaic(client, undefined, { mode: 'auto' })
      await client.upload(id, [part('a_20200101.tif')])
      const second = await client.upload(id, [part('b_20200201.tif')])
      assert.equal(second.status, 201)
      assert.equal(second.json.task?.id, 0, 'the mosaic that is open takes later uploads too')
      assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
      assert.deepEqual(Object.keys(await timesOf(client, 'mosaic')), ['a_20200101.tif', 'b_20200201.tif'])
      assert.equal(ownFiles(client).length, 2)

      const more = await createMosaic(client, undefined, { mode: 'auto' })
      await client.upload(more, [part('b_20200201.tif'), part('c_20200301.tif')])
      await changeTask(client, more, { updateMode: 'APPEND', layer: { name: 'mosaic' } })
      const appended = await runMosaic(client, more)
      assert.equal(appended.state, 'COMPLETE', String(appended.errorMessage))
      assert.match(
        JSON.stringify(appended.messages),
        /The mosaic already contains these granules.*b_20200201\.tif/,
      )
      const { json } = await client.read('mosaic')
      assert.equal(json.granuleCount, 3)
      assert.equal(listOf(json.extent?.temporal?.values).length, 3)
      assert.equal(ownFiles(client).length, 3)

      await remove(client, '/rest/layers/default:mosaic')
      assert.deepEqual([ownFiles(client), await tablesOf(client)], [[], []])
    })

    it('is replaced as a whole: its granules, its times and its files of ours', async (test) => {
      const client = await startMosaics(test, store)
      client.granule('../made/a_20200101.tif')
      client.granule('../made/b_20210101.tif', { column: 5 })
      const part = (name: string) => ({
        name,
        content: readFileSync(join(client.server.dataDir, 'made', name)),
      })
      const id = await createMosaic(client, undefined, { mode: 'auto' })
      await client.upload(id, [part('a_20200101.tif')])
      await runMosaic(client, id)
      const again = await createMosaic(client, undefined, { mode: 'auto' })
      await client.upload(again, [part('b_20210101.tif')])
      await changeTask(client, again, { updateMode: 'REPLACE', layer: { name: 'mosaic' } })
      assert.equal((await runMosaic(client, again)).state, 'COMPLETE')
      assert.deepEqual(await timesOf(client, 'mosaic'), { 'b_20210101.tif': '2021-01-01T00:00:00Z' })
      const { json } = await client.read('mosaic')
      assert.deepEqual(json.extent?.temporal?.values, ['2021-01-01T00:00:00.000Z'])
      assert.equal(ownFiles(client).length, 1)
      await remove(client, '/rest/workspaces/default/coveragestores/mosaic?recurse=true')
      assert.deepEqual([ownFiles(client), await tablesOf(client)], [[], []])
    })
  })
}
