import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startImporter } from '../../support/importer-client.ts'
import { digest, scene as layer, shown, uploadScene } from '../../support/raster-versions.ts'
import { rasterBytes } from '../../support/rasters.ts'
import { restore, versionsOf } from '../../support/version-client.ts'

// tests/release/versions/versions-of-rasters.test.ts deletes and restores rasters and mosaics.
describe('versions of a raster', () => {
  it('are one for each REPLACE and each restore, and none is told beside it as an edit', async (t) => {
    const client = await startImporter(t)
    const { server } = client
    const world = rasterBytes('world.byte.tif')
    await uploadScene(client, world)
    await uploadScene(client, undefined, { updateMode: 'REPLACE' })
    const causes = async () => (await versionsOf(server, layer)).map(({ version, cause }) => [version, cause])
    const loads = [
      [2, 'import'],
      [1, 'import'],
    ]
    assert.deepEqual(await causes(), loads)
    const back = await restore(server, layer, 1)
    assert.equal(back.status, 200, back.text)
    assert.equal(await shown(client), digest(world))
    assert.deepEqual(await causes(), [[3, 'restore'], ...loads])
    const again = await restore(server, layer, 2)
    assert.equal(again.status, 200, again.text)
    assert.notEqual(await shown(client), digest(world))
    assert.deepEqual(await causes(), [[4, 'restore'], [3, 'restore'], ...loads])
  })
})
