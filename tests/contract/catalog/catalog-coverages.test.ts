import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { clientOf } from '../../support/importer-client.ts'
import { importRaster, rasterBytes, rasterFixtures } from '../../support/rasters.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

const { send, read } = configurationClient(() => terrane)
const stores = '/workspaces/default/coveragestores'

/** A copy of a fixture in the import root or in the folder of stores. */
function put(folder: 'incoming' | 'stores', name: string, fixture = 'RGB.byte.tif'): string {
  mkdirSync(join(terrane.dataDir, folder), { recursive: true })
  const path = join(terrane.dataDir, folder, name)
  copyFileSync(join(rasterFixtures, fixture), path)
  return path
}

function code(reply: { statusCode: number; json(): { code: string } }): [number, string] {
  return [reply.statusCode, reply.json().code]
}

describe('coverage stores', () => {
  it('are made over a file, whose format they tell, listed, read and deleted', async () => {
    const path = put('incoming', 'made.tif')
    const body = { coverageStore: { name: 'made', url: `file:${path}`, description: 'A photograph' } }
    const created = await send('POST', stores, body)
    assert.equal(created.statusCode, 201, created.body)
    assert.match(String(created.headers.location), /\/rest\/workspaces\/default\/coveragestores\/made$/)
    const { coverageStore } = await read(`${stores}/made`)
    assert.equal(coverageStore.type, 'GeoTIFF')
    assert.equal(coverageStore.description, 'A photograph')
    assert.equal(coverageStore.url, `file:${path}`)
    assert.deepEqual(coverageStore.connectionParameters.entry, [{ '@key': 'path', $: path }])
    assert.deepEqual(
      (await read(stores)).coverageStores.coverageStore.map((one: { name: string }) => one.name),
      ['made'],
    )
    assert.deepEqual(await read(`${stores}/made/coverages`), { coverages: { coverage: [] } })
    assert.equal((await send('GET', '/workspaces/default/datastores/made')).statusCode, 404)
    assert.deepEqual(code(await send('POST', stores, body)), [409, 'store-exists'])
    assert.equal((await send('DELETE', `${stores}/made`)).statusCode, 200)
    assert.ok(existsSync(path), 'the file of a user stays')
  })

  it('take connection parameters, paths that count from the folder of stores, and their file along', async () => {
    const path = put('stores', 'ours.tif')
    const created = await send('POST', stores, {
      coverageStore: { name: 'ours', type: 'geotiff', connectionParameters: { path: 'ours.tif' } },
    })
    assert.equal(created.statusCode, 201, created.body)
    assert.equal(created.json().coverageStore.url, `file:${path}`)
    assert.equal((await send('DELETE', `${stores}/ours`)).statusCode, 200)
    assert.ok(!existsSync(path), 'a file of ours goes with its store')
  })

  it('are refused without a raster that may be read', async () => {
    put('incoming', 'good.tif')
    writeFileSync(join(terrane.dataDir, 'incoming', 'bad.tif'), 'II*\0 and nothing behind')
    writeFileSync(join(terrane.dataDir, 'incoming', 'text.csv'), 'a\n1\n')
    const refusal = async (expected: object) =>
      code(await send('POST', stores, { coverageStore: { name: 'refused', ...expected } }))
    const incoming = (name: string) => ({ url: join(terrane.dataDir, 'incoming', name) })
    assert.deepEqual(await refusal({}), [400, 'store-path'])
    assert.deepEqual(await refusal({ url: 'file:/etc/passwd' }), [400, 'path-not-allowed'])
    assert.deepEqual(await refusal({ url: '../terrane.key' }), [400, 'path-not-allowed'])
    assert.deepEqual(await refusal({ url: 'none.tif' }), [400, 'no-such-file'])
    assert.deepEqual(await refusal(incoming('bad.tif')), [400, 'no-raster'])
    assert.deepEqual(await refusal(incoming('text.csv')), [400, 'no-raster'])
    assert.deepEqual(await refusal({ ...incoming('good.tif'), type: 'WorldImage' }), [
      400,
      'unknown-store-type',
    ])
    assert.deepEqual(await refusal({ ...incoming('good.tif'), type: 'ImageMosaic' }), [
      400,
      'unknown-store-type',
    ])
    assert.equal((await send('GET', `${stores}/refused`)).statusCode, 404)
  })

  it('take another file while no layer shows theirs', async () => {
    const first = put('incoming', 'first.tif')
    const second = put('incoming', 'second.tif', 'world.byte.tif')
    assert.equal(
      (await send('POST', stores, { coverageStore: { name: 'moving', url: first } })).statusCode,
      201,
    )
    const change = { coverageStore: { url: second, enabled: false } }
    const changed = await send('PUT', `${stores}/moving`, change)
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal(changed.json().coverageStore.url, `file:${second}`)
    assert.equal(changed.json().coverageStore.enabled, false)
    assert.deepEqual(code(await send('PUT', `${stores}/moving`, { coverageStore: { name: 'other' } })), [
      400,
      'invalid-body',
    ])
    await importRaster(clientOf(terrane), 'first.tif')
    assert.deepEqual(code(await send('PUT', `${stores}/first`, { coverageStore: { url: second } })), [
      409,
      'store-in-use',
    ])
    assert.equal(
      (await send('PUT', `${stores}/first`, { coverageStore: { description: 'x' } })).statusCode,
      200,
    )
  })
})

describe('a layer over a coverage', () => {
  it('is a RASTER, and leaves its store when it is deleted', async () => {
    put('incoming', 'kept.tif')
    await importRaster(clientOf(terrane), 'kept.tif')
    const { layer } = await read('/layers/default:kept')
    assert.equal(layer.type, 'RASTER')
    assert.equal(layer.store['@class'], 'coverageStore')
    assert.equal(layer.defaultStyle.name, 'raster')
    assert.deepEqual(layer.attributes, [])
    assert.equal((await send('DELETE', '/layers/default:kept')).statusCode, 200)
    assert.equal((await send('GET', `${stores}/kept`)).statusCode, 200)
  })

  it('goes with its store and its uploaded file by recurse', async () => {
    const client = clientOf(terrane)
    const { json } = await client.call('POST', '', {})
    const id = Number(json.import?.id)
    await client.upload(id, [{ name: 'sent.tif', content: rasterBytes('world.byte.tif') }])
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const { coverageStore } = await read(`${stores}/sent`)
    const path = String(coverageStore.url).slice('file:'.length)
    assert.ok(path.startsWith(join(terrane.dataDir, 'stores')) && existsSync(path))
    assert.equal((await send('DELETE', '/layers/default:sent?recurse=true')).statusCode, 200)
    assert.equal((await send('GET', `${stores}/sent`)).statusCode, 404)
    assert.ok(!existsSync(path))
  })
})
