import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listOf, startImporter } from '../../support/importer-client.ts'

process.env.PATH = '/nonexistent'

describe('a server without GDAL', () => {
  it('answers a raster with NO_FORMAT and the package to install', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    await client.call('POST', '', { import: { data: { type: 'file', file: 'RGB.byte.tif' } } })
    const { json } = await client.call('GET', '/0/tasks/0')
    assert.equal(json.task?.state, 'NO_FORMAT')
    assert.match(String(json.task?.messages?.[0]?.message), /gdal-bin/)
    assert.equal(json.task?.layer, undefined)
    assert.equal(json.task?.target, undefined)
    assert.equal((await client.call('POST', '/0')).status, 409)
  })

  it('imports what needs no GDAL beside it', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif', 'mixed/RGB.byte.tif')
    client.provide('geojson/valid.geojson', 'mixed/valid.geojson')
    client.provide('gdal/places.gml', 'mixed/places.gml')
    await client.call('POST', '?exec=true', { import: { data: { type: 'directory', location: 'mixed' } } })
    const { json } = await client.call('GET', '/0?expand=2')
    assert.deepEqual(
      listOf(json.import?.tasks).map(({ state, data }) => [data?.file, state]),
      [
        ['places.gml', 'NO_FORMAT'],
        ['RGB.byte.tif', 'NO_FORMAT'],
        ['valid.geojson', 'COMPLETE'],
      ],
    )
  })
})
