import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { createMosaic, indexStores, runMosaic, startMosaics } from '../../support/mosaics.ts'
import { digest, scene as layer, shown, uploadScene } from '../../support/raster-versions.ts'
import { importRaster, rasterBytes } from '../../support/rasters.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'

/** Returns the names of the server's raster files, in their folders, without those of stored versions. */
function ownFiles({ server }: ImporterClient): string[] {
  const folder = join(server.dataDir, 'stores', 'default')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tif'))
}

function filesAside({ server }: ImporterClient): string[] {
  const folder = join(server.dataDir, 'stores', '.kept')
  return existsSync(folder) ? readdirSync(folder) : []
}

async function remove({ server }: ImporterClient, url: string): Promise<void> {
  const { status, text } = await ask(server, 'DELETE', url)
  assert.equal(status, 200, text)
}

const deletions = [
  '/rest/layers/default:scene?recurse=true',
  '/rest/workspaces/default/coveragestores/scene?recurse=true',
]

// tests/contract/versions/raster-versions.test.ts replaces and restores.
describe('versions of a raster', () => {
  it('come back where the layer alone was deleted', async (t) => {
    const client = await startImporter(t)
    await uploadScene(client)
    await remove(client, `/rest/layers/${layer}`)
    assert.equal((await ask(client.server, 'GET', `/tiles/${layer}`)).status, 404)
    const back = await restore(client.server, layer, 1)
    assert.equal(back.status, 200, back.text)
    assert.equal((await ask(client.server, 'GET', `/tiles/${layer}`)).status, 200)
  })

  for (const url of deletions)
    it(`come back, title and style too, after DELETE ${url}`, async (t) => {
      const client = await startImporter(t)
      const { server } = client
      const world = rasterBytes('world.byte.tif')
      await uploadScene(client, world)
      const changed = { title: 'The scene', defaultStyle: { name: 'polygon' } }
      await ask(server, 'PUT', `/rest/layers/${layer}`, { layer: changed })
      await uploadScene(client, undefined, { updateMode: 'REPLACE' })
      const now = await shown(client)
      const before = await ask(server, 'GET', `/rest/layers/${layer}`)
      await remove(client, url)
      assert.equal((await ask(server, 'GET', '/rest/workspaces/default/coveragestores/scene')).status, 404)
      assert.equal((await ask(server, 'GET', `/rest/layers/${layer}`)).status, 404)
      const responses = await versionsOf(server, layer)
      assert.deepEqual(
        responses.map(({ cause, restorable }) => [cause, restorable]),
        [['delete', true], ...responses.slice(1).map(({ cause }) => [cause, true])],
      )
      assert.ok((responses[0]?.sizeBytes ?? 0) > 100_000 && responses[0]?.keptUntil !== null)
      // The first restore returns the replaced raster, the second one the deleted raster.
      const first = await restore(server, layer, 2)
      assert.equal(first.status, 200, first.text)
      assert.equal(await shown(client), digest(world))
      const latest = await restore(server, layer, responses[0]?.version ?? 0)
      assert.equal(latest.status, 200, latest.text)
      assert.equal(await shown(client), now)
      const after = await ask(server, 'GET', `/rest/layers/${layer}`)
      for (const key of ['title', 'defaultStyle', 'srs', 'store'] as const)
        assert.deepEqual(
          (after.json as Record<string, Record<string, unknown>>)['layer']?.[key],
          (before.json as Record<string, Record<string, unknown>>)['layer']?.[key],
        )
      assert.deepEqual(filesAside(client), [])
      assert.equal((await ask(server, 'GET', `/tiles/${layer}`)).status, 200)
    })

  it('lie beside where nobody lists them, are counted, and go with their version', async (t) => {
    const client = await startImporter(t)
    const { server } = client
    await uploadScene(client)
    const path = ownFiles(client)
    await remove(client, `/rest/layers/${layer}?recurse=true`)
    assert.deepEqual([path.length, ownFiles(client), filesAside(client).length], [1, [], 1])
    const { kept } = await costOf(client)
    assert.ok(kept > 100_000)
    const versions = await versionsOf(server, layer)
    const [pinned] = versions
    assert.equal(
      (await ask(server, 'PUT', `/rest/layers/${layer}/versions/${pinned?.version}`, { pinned: true }))
        .status,
      200,
    )
    for (const { version } of versions) await remove(client, `/rest/layers/${layer}/versions/${version}`)
    assert.deepEqual(filesAside(client), [])
    assert.equal((await ask(server, 'GET', `/rest/layers/${layer}/versions`)).status, 404)
  })

  it('go with their workspace', async (t) => {
    const client = await startImporter(t)
    await uploadScene(client)
    await remove(client, `/rest/layers/${layer}?recurse=true`)
    await remove(client, '/rest/workspaces/default?recurse=true')
    assert.deepEqual(filesAside(client), [])
  })

  it('say beforehand that they cannot come back where nothing is kept, and why', async (t) => {
    const client = await startImporter(t)
    const { server } = client
    await uploadScene(client)
    const store = '/rest/workspaces/default/coveragestores/scene'
    const off = await ask(server, 'PUT', store, { coverageStore: { versions: false } })
    assert.equal(off.status, 200, off.text)
    await remove(client, `/rest/layers/${layer}?recurse=true`)
    assert.deepEqual([ownFiles(client), filesAside(client)], [[], []])
    const [response] = await versionsOf(server, layer)
    assert.deepEqual([response?.restorable, response?.reason], [false, 'The store "scene" keeps no versions'])
    const refused = await restore(server, layer, 1)
    assert.deepEqual([refused.status, refused.json['code']], [409, 'not-restorable'])
  })

  it('are those that the limit of size leaves, pinned ones first', async (t) => {
    const client = await startImporter(t, { env: { TERRANE_MAX_VERSIONS: '1000000' } })
    const { server } = client
    const names = ['scene', 'scene0', 'scene1']
    for (const _ of names) await uploadScene(client)
    for (const name of names) await remove(client, `/rest/layers/default:${name}?recurse=true`)
    await ask(server, 'PUT', '/rest/layers/default:scene/versions/1', { pinned: true })
    await server.catalog.versions.prune()
    const left = await Promise.all(names.map((name) => versionsOf(server, `default:${name}`)))
    assert.deepEqual(
      left.map(([one]) => one?.restorable),
      [true, false, false],
    )
    assert.match(left[1]?.[0]?.reason ?? '', /took more than 1000000 bytes/)
    assert.equal(filesAside(client).length, 1)
    const back = await restore(server, layer, 1)
    assert.equal(back.status, 200, back.text)
  })

  it('of a file of somebody else come back as long as it is there', async (t) => {
    const client = await startImporter(t)
    const { server } = client
    client.provide('raster/RGB.byte.tif')
    await importRaster(client, 'RGB.byte.tif')
    const name = 'default:RGB_byte'
    const file = join(server.dataDir, 'incoming', 'RGB.byte.tif')
    await remove(client, `/rest/layers/${name}?recurse=true`)
    assert.ok(existsSync(file))
    renameSync(file, `${file}.away`)
    const [gone] = await versionsOf(server, name)
    assert.deepEqual(
      [gone?.restorable, gone?.reason],
      [false, 'The source files of the version no longer exist'],
    )
    const refused = await restore(server, name, 1)
    assert.deepEqual([refused.status, refused.json['code']], [409, 'not-restorable'])
    renameSync(`${file}.away`, file)
    const back = await restore(server, name, 1)
    assert.equal(back.status, 200, back.text)
    assert.equal((await ask(server, 'GET', `/tiles/${name}`)).status, 200)
    // The file was touched between two checks: that counts as a change from outside.
    const [latest] = await versionsOf(server, name)
    assert.deepEqual(
      [latest?.cause, readFileSync(file).equals(rasterBytes('RGB.byte.tif'))],
      ['outside', true],
    )
  })
})

async function costOf({ server }: ImporterClient): Promise<{ kept: number }> {
  return { kept: (await server.catalog.versions.cost())?.bytes ?? 0 }
}

async function mosaicOf(t: TestContext, store: (typeof indexStores)[number]) {
  const client = await startMosaics(t, store)
  const files = ['a_20200101.tif', 'b_20210101.tif'].map((name, column) => {
    client.granule(`../made/${name}`, { column })
    return { name, content: readFileSync(join(client.server.dataDir, 'made', name)) }
  })
  const id = await createMosaic(client, undefined, { mode: 'auto' })
  await client.upload(id, files)
  assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
  const granules = async () => {
    const { json } = await client.read('mosaic', '/granules')
    return listOf<{ id: number; properties: object; geometry: object }>(json.features).map(
      ({ id: number, properties, geometry }) => ({ number, properties, geometry }),
    )
  }
  return { client, granules }
}

for (const store of indexStores)
  describe(`versions of a mosaic whose index is in ${store}`, () => {
    it('come back with every granule, its times and its style', async (t) => {
      const { client, granules } = await mosaicOf(t, store)
      const { server } = client
      const before = await granules()
      const collection = (await client.read('mosaic')).json
      for (const url of [
        '/rest/layers/default:mosaic',
        '/rest/workspaces/default/coveragestores/mosaic?recurse=true',
      ]) {
        await remove(client, url)
        assert.deepEqual([ownFiles(client), filesAside(client).length], [[], 1])
        const [deleted] = await versionsOf(server, 'default:mosaic')
        assert.deepEqual([deleted?.cause, deleted?.restorable], ['delete', true])
        const back = await restore(server, 'default:mosaic', deleted?.version ?? 0)
        assert.equal(back.status, 200, back.text)
        assert.deepEqual(await granules(), before)
        assert.deepEqual((await client.read('mosaic')).json, collection)
        assert.deepEqual([ownFiles(client).length, filesAside(client)], [2, []])
      }
      const tile = await ask(server, 'GET', '/tiles/default:mosaic')
      assert.equal(tile.status, 200, tile.text)
    })

    it('go with the store of their index', async (t) => {
      const { client } = await mosaicOf(t, store)
      await remove(client, '/rest/layers/default:mosaic')
      await remove(client, '/rest/workspaces/default/datastores/default?recurse=true')
      assert.deepEqual(filesAside(client), [])
      assert.equal((await ask(client.server, 'GET', '/rest/layers/default:mosaic/versions')).status, 404)
    })
  })
