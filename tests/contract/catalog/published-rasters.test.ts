import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { clientOf } from '../../support/importer-client.ts'
import { rasterFixtures } from '../../support/rasters.ts'

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

/** Copies a fixture into a folder of the import root. */
function put(folder: string, name: string, fixture = 'RGB.byte.tif'): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(join(rasterFixtures, fixture), path)
  return path
}

async function makeStore(name: string, path: string): Promise<void> {
  const { statusCode, body } = await send('POST', stores, { coverageStore: { name, url: `file:${path}` } })
  assert.equal(statusCode, 201, body)
}

function publish(store: string, nativeName: string | undefined, more: object = {}) {
  return send('POST', `${stores}/${store}/coverages`, { coverage: { nativeName, ...more } })
}

function code(reply: { statusCode: number; json(): { code: string } }): [number, string] {
  return [reply.statusCode, reply.json().code]
}

interface Listed {
  name: string
  format: string | null
  sizeBytes: number | null
  width: number | null
  height: number | null
  bands: { dataType: string }[]
  srs: string | null
  published: string | null
  problems: { code: string; message: string }[]
}

async function rasters(store: string): Promise<Map<string, Listed>> {
  const list = (await read(`${stores}/${store}/rasters`)).rasters as Listed[]
  return new Map(list.map((one) => [one.name, one]))
}

async function problemOf(layer: string): Promise<string | undefined> {
  await terrane.catalog.availability.refresh()
  const { byId } = await terrane.catalog.cards.now()
  const card = [...byId.values()].find(({ name }) => name === layer)
  return card && terrane.catalog.availability.problemOf(card)
}

async function layer(name: string) {
  return (await read(`/layers/default:${name}`)).layer
}

function get(url: string) {
  return terrane.app.inject({ url, headers: terrane.admin })
}

describe('rasters published in place', () => {
  it('are listed with size, bands, CRS and layer; other files are not', async () => {
    const folder = folderOf('listed')
    const photo = put(folder, 'photo.tif')
    put(folder, '2024/Höhe "alt".TIF')
    writeFileSync(join(folder, 'readme.txt'), 'no raster')
    writeFileSync(join(folder, 'broken.tif'), 'no raster either')
    writeFileSync(join(folder, '.hidden.tif'), 'hidden')
    await makeStore('listed', folder)
    const { coverageStore } = await read(`${stores}/listed`)
    assert.equal(coverageStore.type, 'RasterFolder')
    assert.equal(coverageStore.url, `file:${folder}`)
    const all = await rasters('listed')
    assert.deepEqual([...all.keys()], ['2024/Höhe "alt".TIF', 'broken.tif', 'photo.tif'])
    const shown = all.get('photo.tif')
    assert.equal(shown?.format, 'GeoTIFF')
    assert.equal(shown.sizeBytes, readFileSync(photo).length)
    assert.deepEqual([shown.width, shown.height, shown.bands.length], [791, 718, 3])
    assert.equal(shown.srs, 'EPSG:32618')
    assert.equal(shown.published, null)
    assert.deepEqual(shown.problems, [])
    assert.equal(all.get('broken.tif')?.problems[0]?.code, 'no-raster')
    assert.equal((await publish('listed', 'photo.tif')).statusCode, 201)
    assert.equal((await rasters('listed')).get('photo.tif')?.published, 'photo')
    const { list } = await read(`${stores}/listed/coverages?list=available`)
    assert.deepEqual(list.string, ['2024/Höhe "alt".TIF', 'broken.tif'])
    assert.equal((await read(`${stores}/listed/coverages?list=all`)).list.string.length, 3)
    assert.equal((await read(`${stores}/listed/coverages`)).coverages.coverage[0].name, 'photo')
  })

  it('are layers with maps, tiles and files, without a copy', async () => {
    const folder = folderOf('read')
    const path = put(folder, 'deep/photo one.tif')
    await makeStore('read', folder)
    const made = await publish('read', 'deep/photo one.tif', { name: 'one', title: 'A photograph' })
    assert.equal(made.statusCode, 201, made.body)
    const { coverage } = made.json()
    assert.deepEqual(
      [coverage.name, coverage.nativeName, coverage.title, coverage.srs],
      ['one', 'deep/photo one.tif', 'A photograph', 'EPSG:32618'],
    )
    const shown = await layer('one')
    assert.equal(shown.managed, false)
    assert.equal(shown.type, 'RASTER')
    const collection = (await get('/ogc/collections/default:one?f=json')).json()
    const file = collection.links.find((link: { rel: string }) => link.rel === 'enclosure')
    const whole = await get(new URL(file.href).pathname)
    assert.equal(whole.statusCode, 200)
    assert.deepEqual(whole.rawPayload, readFileSync(path))
    const map = await get('/ogc/collections/default:one/map?f=png&width=64')
    assert.equal(map.statusCode, 200, map.body)
    assert.equal(map.headers['content-type'], 'image/png')
    const wcs = await get(
      '/ows?service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__one&format=image/tiff',
    )
    assert.equal(wcs.statusCode, 200, wcs.body.slice(0, 500))
    assert.deepEqual(
      readdirSync(join(terrane.dataDir, 'stores')).filter((name) => name.includes('photo')),
      [],
    )
  })

  it('take no loads, edits or restores, and no other "managed"', async () => {
    const folder = folderOf('managed')
    const path = put(folder, 'stays.tif')
    const before = readFileSync(path)
    await makeStore('managed', folder)
    assert.equal((await publish('managed', 'stays.tif')).statusCode, 201)
    const change = await send('PUT', '/layers/default:stays', { layer: { managed: 'load' } })
    assert.deepEqual(code(change), [400, 'not-managed'])
    put(folderOf('other'), 'stays.tif')
    const client = clientOf(terrane)
    const made = await client.call('POST', '', {
      import: { data: { type: 'file', file: 'other/stays.tif' } },
    })
    assert.equal(made.status, 201, made.text)
    const task = { updateMode: 'REPLACE', layer: { name: 'stays' } }
    const replaced = await client.call('PUT', `/${made.json.import?.id}/tasks/0`, { task })
    assert.equal(replaced.status, 405, replaced.text)
    assert.match(replaced.text, /not-managed/)
    assert.deepEqual(readFileSync(path), before)
  })

  it('are published all, several, and once', async () => {
    const folder = folderOf('many')
    for (const name of ['a.tif', 'b.tif', 'old/c.tif', 'd.tif']) put(folder, name)
    writeFileSync(join(folder, 'e.tif'), 'broken')
    await makeStore('many', folder)
    const several = await send('POST', `${stores}/many/coverages`, {
      coverages: { coverage: [{ nativeName: 'a.tif' }, { nativeName: 'nope.tif' }] },
    })
    assert.equal(several.statusCode, 201, several.body)
    assert.deepEqual(
      several.json().failed.map((one: { code: string }) => one.code),
      ['unknown-raster'],
    )
    const all = await send('POST', `${stores}/many/rasters`, { publish: { exclude: ['old/*'] } })
    assert.deepEqual(
      all.json().published.map((one: { name: string }) => one.name),
      ['b', 'd'],
    )
    assert.deepEqual(
      all.json().failed.map((one: { table: string; code: string }) => [one.table, one.code]),
      [['e.tif', 'no-raster']],
    )
    assert.deepEqual(code(await publish('many', 'a.tif')), [409, 'table-published'])
    assert.equal((await publish('many', 'a.tif', { name: 'again' })).statusCode, 201)
    const none = await send('POST', `${stores}/many/rasters`, { publish: { include: ['x*'] } })
    assert.deepEqual(code(none), [409, 'nothing-to-publish'])
  })

  it('appear by themselves in a folder with discovery, except those that a person has deleted', async () => {
    const folder = folderOf('growing')
    put(folder, 'new/a.tif')
    put(folder, 'other.tif')
    const discovery = { include: ['new/*'], naming: 'grown_{table}' }
    const store = { coverageStore: { name: 'growing', url: folder, discovery } }
    assert.equal((await send('POST', stores, store)).statusCode, 201)
    const names = async (): Promise<string[]> =>
      (await read(`${stores}/growing/coverages`)).coverages.coverage.map((one: { name: string }) => one.name)
    await followed(async () => (await names()).length === 1)
    put(folder, 'new/b.tif')
    await followed(async () => (await names()).length === 2)
    assert.deepEqual(await names(), ['grown_new_a', 'grown_new_b'])
    await send('DELETE', '/layers/default:grown_new_a')
    await terrane.catalog.follower.follow()
    assert.deepEqual(await names(), ['grown_new_b'])
  })

  it('of a store over one file need no name', async () => {
    const path = put(folderOf('single'), 'alone.tif')
    await makeStore('single', path)
    assert.equal((await publish('single', undefined)).statusCode, 201)
    assert.equal((await layer('alone')).managed, false)
    assert.deepEqual([...(await rasters('single')).keys()], ['alone.tif'])
    assert.equal((await send('DELETE', '/layers/default:alone?recurse=true')).statusCode, 200)
    assert.ok(existsSync(path))
    assert.equal((await send('GET', `${stores}/single`)).statusCode, 200)
  })

  it('get a new version when their files change, and a problem when these are broken or gone', async () => {
    const folder = folderOf('changed')
    const path = put(folder, 'moving.tif')
    put(folder, 'still.tif')
    await makeStore('changed', folder)
    assert.equal((await send('POST', `${stores}/changed/rasters`, { publish: {} })).statusCode, 200)
    await terrane.catalog.follower.follow()
    copyFileSync(join(rasterFixtures, 'world.byte.tif'), `${path}.new`)
    renameSync(`${path}.new`, path)
    await followed(async () => (await bands('moving')) === 1)
    const versions = (await read('/layers/default:moving/versions')).versions
    assert.equal(versions[0].cause, 'outside')
    assert.equal((await layer('still')).version, 1)

    writeFileSync(path, 'no raster any more')
    await followed(async () => (await layer('moving')).fault !== undefined)
    assert.match((await layer('moving')).fault, /moving\.tif/)
    assert.equal(await problemOf('moving'), 'source-broken')
    assert.equal(await problemOf('still'), undefined)
    const refused = await get('/ogc/collections/default:moving/map?f=png&width=64')
    assert.ok(refused.statusCode >= 400 && refused.statusCode !== 500, refused.body)
    assert.equal((await get('/ogc/collections/default:still/map?f=png&width=64')).statusCode, 200)

    copyFileSync(join(rasterFixtures, 'RGB.byte.tif'), path)
    await followed(async () => (await layer('moving')).fault === undefined)
    assert.equal((await get('/ogc/collections/default:moving/map?f=png&width=64')).statusCode, 200)
  })

  it('outside the import roots, or behind links that leave them, are refused', async () => {
    const folder = folderOf('guarded')
    const outside = join(terrane.dataDir, 'outside')
    put(outside, 'secret.tif')
    symlinkSync(join(outside, 'secret.tif'), join(folder, 'link.tif'))
    symlinkSync(outside, join(folder, 'away'))
    const path = put(folder, 'real.tif')
    symlinkSync(path, join(folder, 'inside.tif'))
    const create = (url: string) => send('POST', stores, { coverageStore: { name: 'refused', url } })
    assert.deepEqual(code(await create(`file:${outside}`)), [400, 'path-not-allowed'])
    assert.deepEqual(code(await create(`file:${join(folder, 'away')}`)), [400, 'path-not-allowed'])
    assert.deepEqual(code(await create(`file:${join(folder, '../../outside')}`)), [400, 'path-not-allowed'])
    assert.deepEqual(code(await create(`file:${join(folder, 'nothing')}`)), [400, 'path-not-allowed'])
    await makeStore('guarded', folder)
    assert.deepEqual([...(await rasters('guarded')).keys()], ['inside.tif', 'real.tif'])
    for (const name of ['link.tif', 'away/secret.tif', '../../outside/secret.tif', '/etc/passwd', 'a\0b.tif'])
      assert.deepEqual(code(await publish('guarded', name)), [400, 'unknown-raster'], name)
    assert.equal((await publish('guarded', 'real.tif')).statusCode, 201)
    rmSync(path)
    symlinkSync(join(outside, 'secret.tif'), path)
    const collection = (await get('/ogc/collections/default:real?f=json')).json()
    const file = collection.links.find((link: { rel: string }) => link.rel === 'enclosure')
    assert.ok((await get(new URL(file.href).pathname)).statusCode >= 400)
    assert.ok((await get('/ogc/collections/default:real/map?f=png&width=64')).statusCode >= 400)
  })

  it('with hostile names are published under clean names', async () => {
    const folder = folderOf('hostile')
    const names = [
      '-of VRT.tif',
      '<b>&"\'.tif',
      'a\nb.tif',
      '%2e%2e.tif',
      `${'ö'.repeat(120)}.tif`,
      '$(id).tif',
    ]
    for (const name of names) put(folder, name)
    await makeStore('hostile', folder)
    const all = await send('POST', `${stores}/hostile/rasters`, { publish: {} })
    assert.deepEqual(all.json().failed, [])
    assert.equal(all.json().published.length, names.length)
    for (const { name } of all.json().published) {
      const map = await get(`/ogc/collections/${encodeURIComponent(`default:${name}`)}/map?f=png&width=32`)
      assert.equal(map.statusCode, 200, map.body)
    }
  })

  it('that are cut off or without a place are refused with the reason', async () => {
    const folder = folderOf('cut')
    const bytes = readFileSync(join(rasterFixtures, 'RGB.byte.tif'))
    writeFileSync(join(folder, 'cut.tif'), bytes.subarray(0, bytes.length - 200_000))
    writeFileSync(join(folder, 'empty.tif'), '')
    await makeStore('cut', folder)
    for (const name of ['cut.tif', 'empty.tif']) {
      const reply = await publish('cut', name)
      assert.equal(reply.statusCode, 400, reply.body)
      assert.match(reply.json().message ?? reply.body, /cut\.tif|empty\.tif/)
    }
    appendFileSync(join(folder, 'cut.tif'), bytes.subarray(bytes.length - 200_000))
    assert.equal((await publish('cut', 'cut.tif')).statusCode, 201)
  })

  it('leave their files and folder when layers, store and workspace are deleted', async () => {
    const folder = folderOf('deleted')
    const path = put(folder, 'goes.tif')
    await makeStore('deleted', folder)
    assert.equal((await publish('deleted', 'goes.tif')).statusCode, 201)
    assert.equal((await send('DELETE', '/layers/default:goes?recurse=true')).statusCode, 200)
    assert.equal((await send('GET', `${stores}/deleted`)).statusCode, 200)
    assert.equal((await publish('deleted', 'goes.tif')).statusCode, 201)
    assert.deepEqual(code(await send('DELETE', `${stores}/deleted`)), [409, 'store-not-empty'])
    assert.equal((await send('DELETE', `${stores}/deleted?recurse=true`)).statusCode, 200)
    assert.deepEqual(readdirSync(folder), ['goes.tif'])
    assert.deepEqual(readFileSync(path), readFileSync(join(rasterFixtures, 'RGB.byte.tif')))
  })
})

async function bands(name: string): Promise<number | undefined> {
  const found = await terrane.catalog.layers.get('default', name)
  return found.details.raster?.bands.length
}

/** Runs rounds of the follower until a change is seen. */
async function followed(isSeen: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1000 && !(await isSeen()); round += 1) await terrane.catalog.follower.follow()
  assert.ok(await isSeen())
}
