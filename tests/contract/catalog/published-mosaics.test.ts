import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { clientOf } from '../../support/importer-client.ts'
import { gdal, rasterFixtures } from '../../support/rasters.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

const { send, read } = configurationClient(() => terrane)
const stores = '/workspaces/default/coveragestores'

function folderOf(name: string): string {
  const folder = join(terrane.dataDir, 'incoming', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

function publish(store: string, nativeName: string | undefined, more: object = {}) {
  return send('POST', `${stores}/${store}/coverages`, { coverage: { nativeName, ...more } })
}

function code(reply: { statusCode: number; json(): { code: string } }): [number, string] {
  return [reply.statusCode, reply.json().code]
}

async function layer(name: string) {
  return (await read(`/layers/default:${name}`)).layer
}

function get(url: string) {
  return terrane.app.inject({ url, headers: terrane.admin })
}

describe('a mosaic over a folder', () => {
  /** Writes one of four quarters of the fixture. */
  function quarter(folder: string, name: string, column: number, row: number): void {
    mkdirSync(folder, { recursive: true })
    const window = ['-srcwin', String(column * 300), String(row * 300), '300', '300']
    gdal('gdal_translate', '-q', ...window, join(rasterFixtures, 'RGB.byte.tif'), join(folder, name))
  }

  async function granules(name: string): Promise<{ file: string; time?: string }[]> {
    const reply = await get(`/ogc/collections/default:${name}/granules?f=json&limit=100`)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json().features.map((one: { properties: { file: string; time?: string } }) => one.properties)
  }

  async function makeMosaic(name: string, folder: string, more: object = {}): Promise<void> {
    const coverageStore = { name, type: 'ImageMosaic', url: `file:${folder}`, ...more }
    const made = await send('POST', stores, { coverageStore })
    assert.equal(made.statusCode, 201, made.body)
    const published = await publish(name, undefined)
    assert.equal(published.statusCode, 201, published.body)
  }

  it('is one layer, to which new files are added and from which missing and broken ones are taken', async () => {
    const folder = folderOf('quarters')
    quarter(folder, 'a.tif', 0, 0)
    quarter(folder, 'b.tif', 1, 0)
    await makeMosaic('quarters', folder)
    assert.deepEqual((await granules('quarters')).map(({ file }) => file).sort(), ['a.tif', 'b.tif'])
    const first = await layer('quarters')
    assert.equal(first.featureCount, 2)
    assert.equal(first.managed, false)
    await followed(
      async () => (await get('/ogc/collections/default:quarters/map?f=png&width=64')).statusCode === 200,
    )

    quarter(join(folder, 'south'), 'c.tif', 0, 1)
    writeFileSync(join(folder, 'broken.tif'), 'no raster')
    copyFileSync(join(rasterFixtures, 'world.byte.tif'), join(folder, 'other.tif'))
    await followed(async () => (await layer('quarters')).fault?.startsWith('2 of 5') === true)
    assert.deepEqual((await granules('quarters')).map(({ file }) => file).sort(), [
      'a.tif',
      'b.tif',
      'south/c.tif',
    ])
    const second = await layer('quarters')
    assert.equal(second.featureCount, 3)
    assert.ok(second.bbox.miny < first.bbox.miny)
    assert.match(second.fault, /"broken\.tif" cannot be read.*"other\.tif" has /)
    assert.equal((await read('/layers/default:quarters/versions')).versions[0].cause, 'outside')

    for (const name of ['a.tif', 'broken.tif', 'other.tif']) rmSync(join(folder, name))
    await followed(async () => (await layer('quarters')).featureCount === 2)
    assert.equal((await layer('quarters')).fault, undefined)
    await followed(
      async () => (await get('/ogc/collections/default:quarters/map?f=png&width=64')).statusCode === 200,
    )

    assert.equal((await send('DELETE', `${stores}/quarters?recurse=true`)).statusCode, 200)
    assert.deepEqual(readdirSync(folder).sort(), ['b.tif', 'south'])
    assert.deepEqual(readdirSync(join(terrane.dataDir, 'stores', 'default')).filter(isOfMosaic), [])
  })

  it('has the times of the names of its files', async () => {
    const folder = folderOf('times')
    quarter(folder, 'dop_20240131.tif', 0, 0)
    quarter(folder, 'dop_20240228.tif', 1, 1)
    await makeMosaic('times', folder, { connectionParameters: { time: 'auto' } })
    const times = (await granules('times')).map(({ time }) => time?.slice(0, 10)).sort()
    assert.deepEqual(times, ['2024-01-31', '2024-02-28'])
    const refused = { name: 'never', type: 'ImageMosaic', url: folder, connectionParameters: { time: 'x' } }
    assert.deepEqual(code(await send('POST', stores, { coverageStore: refused })), [400, 'invalid-time-mode'])
  })

  it('needs a raster, and takes no granules by imports', async () => {
    const folder = folderOf('none')
    const coverageStore = { name: 'none', type: 'ImageMosaic', url: `file:${folder}` }
    assert.equal((await send('POST', stores, { coverageStore })).statusCode, 201)
    assert.deepEqual(code(await publish('none', undefined)), [400, 'no-granules'])
    quarter(folder, 'a.tif', 0, 0)
    assert.equal((await publish('none', undefined)).statusCode, 201)
    quarter(folderOf('added'), 'a.tif', 1, 0)
    const client = clientOf(terrane)
    const made = await client.call('POST', '', { import: { data: { type: 'file', file: 'added/a.tif' } } })
    const task = { updateMode: 'APPEND', layer: { name: 'none' } }
    const added = await client.call('PUT', `/${made.json.import?.id}/tasks/0`, { task })
    assert.equal(added.status, 405, added.text)
  })
})

function isOfMosaic(name: string): boolean {
  return name.startsWith('quarters')
}

/** Runs rounds of the follower until a change is seen. */
async function followed(isSeen: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1000 && !(await isSeen()); round += 1) await terrane.catalog.follower.follow()
  assert.ok(await isSeen())
}
