import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { listOf, multipart, multipartType } from '../../support/importer-client.ts'
import { rasterBytes } from '../../support/rasters.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
const hugeBytes = 16 * 2 ** 30

describe('a server that is killed while it copies a raster', () => {
  it('leaves no layer, and its next start makes exactly one', async (t) => {
    const dataDir = temporaryData(t)
    const content = rasterBytes('world.byte.tif')
    const first = await startServer(t, dataDir)
    await first.call('POST', '/rest/imports', {})
    const sent = await fetch(`${first.url}/rest/imports/0/tasks`, {
      method: 'POST',
      headers: { authorization, 'content-type': multipartType },
      body: new Uint8Array(multipart([{ name: 'photo.tif', content }])),
    })
    assert.equal(sent.status, 201, await sent.text())
    const [uploaded = ''] = readdirSync(join(dataDir, 'uploads'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(dataDir, 'uploads', name))
      .filter((path) => path.endsWith('photo.tif'))
    truncateSync(uploaded, hugeBytes)
    const until = await first.watch(0)
    await first.call('POST', '/rest/imports/0?async=true')
    assert.ok(await until(/"phase":"loading"/))
    await first.kill()
    truncateSync(uploaded, content.length)
    const stores = join(dataDir, 'stores', 'default')
    assert.ok(readdirSync(stores).some((name) => name.endsWith('.part')))

    const second = await startServer(t, dataDir)
    await second.importIn(0, ['COMPLETE'])
    const { json } = await second.call('GET', '/rest/workspaces/default/coveragestores')
    assert.equal(listOf(json.coverageStores?.coverageStore).length, 1)
    const layers = listOf((await second.call('GET', '/rest/layers')).json.layers?.layer)
    assert.deepEqual(
      layers.map(({ name }) => name),
      ['default:photo'],
    )
    const [folder = '', ...others] = readdirSync(stores)
    assert.deepEqual(others, [])
    assert.deepEqual(readFileSync(join(stores, folder, 'photo.tif')), content)
    assert.ok(!existsSync(uploaded))
    await second.stop()
  })
})
