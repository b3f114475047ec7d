import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { createDatabaseImport } from '../../support/database-import.ts'
import type { Answer, ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { makeGranule } from '../../support/mosaics.ts'

const root = 'http://localhost:80/rest/imports'
const table = 'name,lat,lon\nA,1,10\n'
const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }

function linksOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof item !== 'string') return linksOf(item)
    return key === 'href' || key === 'progress' ? [item] : []
  })
}

const get = (client: ImporterClient, path: string): Promise<Answer> => client.call('GET', path)

/** Follows every link of a response and of the linked responses, and collects the links in `seen`. */
async function followAll(client: ImporterClient, answer: Answer, seen: Set<string>): Promise<void> {
  for (const link of linksOf(answer.json)) {
    assert.ok(link.startsWith(`${root}/`), link)
    if (seen.has(link)) continue
    seen.add(link)
    const path = link.slice(root.length)
    const found = await get(client, path)
    assert.equal(found.status, 200, `${path}: ${found.text}`)
    const spellings = [`${path}/`, path.replace('/tasks/', '/task/')]
    if (!path.includes('/data/files/')) spellings.push(`${path}.json`)
    for (const spelling of spellings) {
      const same = await get(client, spelling)
      assert.deepEqual([same.status, same.json], [200, found.json], spelling)
    }
    await followAll(client, found, seen)
  }
}

/** Imports of every kind of data: 0 to 5. */
async function startWithAllData(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  const create = async (data?: object): Promise<void> => {
    const { status, text } = await client.call('POST', '', { import: data === undefined ? {} : { data } })
    assert.equal(status, 201, text)
  }
  client.provide('raster/world.byte.tif', 'all/world.byte.tif')
  client.provide('geojson/valid.geojson', 'all/below/places of interest.geojson')
  client.provide('geopackage/stations.gpkg')
  for (const name of ['a', 'b']) makeGranule(`${client.server.dataDir}/incoming/tiles/${name}.tif`)
  await create({ type: 'directory', location: 'all' })
  await create({ type: 'file', file: 'all/world.byte.tif' })
  await create({ type: 'mosaic', location: 'tiles' })
  await create({ type: 'remote', location: `file://${client.server.dataDir}/incoming/stations.gpkg` })
  await create()
  await client.upload(4, [{ name: 'places.csv', content: table }])
  await client.upload(4, [{ name: 'notes.xyzzy', content: 'nothing' }])
  await client.call('PUT', '/4/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
  await client.call('POST', '/4/tasks/0/transforms', points)
  const database = `${client.server.dataDir}/incoming/stations.gpkg`
  const { status, text } = await createDatabaseImport(client, { dbtype: 'geopkg', database })
  assert.equal(status, 201, text)
  return client
}

const kinds = ['directory', 'file', 'mosaic', 'remote', undefined, 'database']

describe('every link of every answer', () => {
  it('leads somewhere, also with a slash or .json behind and by the singular of tasks', async (test) => {
    const client = await startWithAllData(test)
    for (const [id, kind] of kinds.entries()) {
      const whole = await get(client, `/${id}?expand=all`)
      assert.equal(whole.json.import?.data?.type, kind)
      assert.ok(listOf(whole.json.import?.tasks).length > 0, whole.text)
      const seen = new Set<string>()
      await followAll(client, whole, seen)
      await followAll(client, await get(client, `/${id}/tasks?expand=all`), seen)
      const endings = [`/${id}`, `/${id}/tasks/0`, `/${id}/tasks/0/layer/style`, `/${id}/tasks/0/progress`]
      for (const ending of endings) assert.ok(seen.has(`${root}${ending}`), ending)
      await client.call('POST', `/${id}`)
      await followAll(client, await get(client, `/${id}?expand=all`), new Set())
    }
  })

  it('is found in the list, whatever its level', async (test) => {
    const client = await startWithAllData(test)
    for (const level of ['none', 'self', '2', 'all']) {
      const list = await get(client, `?expand=${level}`)
      const links = linksOf(list.json)
      assert.equal(new Set(links).size, links.length, 'each link once')
      await followAll(client, list, new Set())
    }
  })
})

describe('changes by the singular of tasks, with a slash behind', () => {
  it('are those by the plural', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '/', {})
    await client.upload(0, [{ name: 'places.csv', content: table }])
    const call = async (method: string, path: string, body?: object): Promise<Json> => {
      const { status, text, json } = await client.call(method, `/0/task/0${path}`, body)
      assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`)
      return json
    }
    assert.equal((await call('PUT', '/layer/', { layer: { srs: 'EPSG:4326' } })).layer?.srs, 'EPSG:4326')
    assert.equal((await call('PUT', '/', { updateMode: 'REPLACE' })).task?.updateMode, 'REPLACE')
    assert.equal(
      (await call('PUT', '/target/', { dataStore: { name: 'default' } })).dataStore?.name,
      'default',
    )
    assert.equal((await call('POST', '/transforms/', points)).href, `${root}/0/tasks/0/transforms/0`)
    assert.equal((await call('PUT', '/transforms/0/', { pointFieldName: 'place' })).pointFieldName, 'place')
    await call('DELETE', '/transforms/0/')
    assert.deepEqual((await call('GET', '/transforms/')).transforms, [])
    await call('DELETE', '/data/files/places.csv')
    await call('DELETE', '/')
    assert.deepEqual((await get(client, '/0/tasks')).json, { tasks: [] })
    assert.equal((await client.call('PUT', '/0/task/p.csv', table)).status, 201)
    assert.equal((await client.call('DELETE', '/0/')).status, 200)
  })
})
