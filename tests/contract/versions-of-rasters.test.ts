import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startImporter } from '../support/importer-client.ts'
import { uploadRaster } from '../support/raster-imports.ts'
import { ask, restore } from '../support/version-client.ts'

const layer = 'default:scene'

describe('versions of a raster', () => {
  it('come back where the layer alone was deleted, and go with its store', async (t) => {
    const client = await startImporter(t)
    const { server } = client
    const id = await uploadRaster(client)
    await client.call('POST', `/${id}`)
    assert.equal((await ask(server, 'DELETE', `/rest/layers/${layer}`)).status, 200)
    assert.equal((await ask(server, 'GET', `/tiles/${layer}`)).status, 404)
    const back = await restore(server, layer, 1)
    assert.equal(back.status, 200, back.text)
    assert.equal((await ask(server, 'GET', `/tiles/${layer}`)).status, 200)
    assert.equal((await ask(server, 'DELETE', `/rest/layers/${layer}?recurse=true`)).status, 200)
    assert.equal((await restore(server, layer, 1)).status, 404)
  })
})
