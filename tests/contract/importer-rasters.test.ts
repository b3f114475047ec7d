import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listOf, startImporter } from '../support/importer-client.ts'

describe('an import of a raster', () => {
  it('makes a task for a GeoTIFF in an import root, which becomes a coverage where it lies', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    const created = await client.call('POST', '?expand=3', {
      import: { data: { type: 'file', file: 'RGB.byte.tif' } },
    })
    const [task] = listOf(created.json.import?.tasks)
    assert.equal(task?.state, 'READY', created.text)
    assert.equal(task?.data?.format, 'GeoTIFF')
    assert.deepEqual(task?.target?.coverageStore, { name: 'RGB_byte', type: 'GeoTIFF' })
    assert.equal(task?.layer?.srs, 'EPSG:32618')
    assert.equal(task?.transformChain?.type, 'raster')
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { json } = await client.call('GET', '/0')
    assert.equal(json.import?.state, 'COMPLETE')
  })
})
