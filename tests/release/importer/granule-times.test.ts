import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listOf } from '../../support/importer-client.ts'
import { createMosaic, runMosaic, startMosaics } from '../../support/mosaics.ts'

describe('times of granules', () => {
  it('are taken from names by a pattern and a format', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/x31012020.tif')
    const time = { mode: 'FILENAME', filenameRegex: 'x(\\d{8})', timeFormat: 'ddMMyyyy' }
    const id = await createMosaic(client, 'm', time)
    const { json } = await client.call('GET', `/${id}/data/files/x31012020.tif`)
    assert.equal(json.timestamp, '2020-01-31T00:00:00.000+0000')
    const data = await client.call('GET', `/${id}/data`)
    assert.deepEqual(data.json.time, { ...time, mode: 'filename' })
  })

  it('that a name does not tell are a message, and the granule is loaded without one', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a_20200131.tif')
    client.granule('m/b.tif', { column: 1 })
    const id = await createMosaic(client, 'm', { mode: 'auto' })
    const entry = await client.call('GET', `/${id}/data/files/b.tif`)
    assert.match(String(entry.json.message), /its name contains no date/)
    const task = await runMosaic(client, id)
    assert.equal(task.state, 'COMPLETE')
    assert.match(JSON.stringify(task.messages), /\\"b\.tif\\" has no time/)
    assert.equal((await client.read('m')).json.granuleCount, 2)
  })

  it('may be given by hand where the name does not tell', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a_20200131.tif')
    client.granule('m/b.tif', { column: 1 })
    const id = await createMosaic(client, 'm', { mode: 'auto' })
    await client.call('PUT', `/${id}/data/files/b.tif`, { timestamp: '2021-01-31T00:00:00Z' })
    const { json } = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(json.task?.messages, undefined)
  })

  it('of mode manual must all be given before the import runs', async (test) => {
    const client = await startMosaics(test)
    for (const [column, name] of ['a', 'b'].entries()) client.granule(`m/${name}.tif`, { column })
    const id = await createMosaic(client, 'm', { mode: 'manual' })
    await client.call('PUT', `/${id}/data/files/a.tif`, { timestamp: '2000-01-01T00:00:00Z' })
    const failed = await runMosaic(client, id)
    assert.equal(failed.state, 'ERROR')
    assert.match(String(failed.errorMessage), /each granule needs a time: .* "b\.tif"$/)
    await client.call('PUT', `/${id}/data/files/b.tif`, { timestamp: '2001-01-01T00:00:00Z' })
    assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
    assert.equal(listOf((await client.read('m')).json.extent?.temporal?.values).length, 2)
  })

  it('that cannot be asked for so are a 400, and nothing is created', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const times = [
      { mode: 'sometimes' },
      {},
      { mode: 'filename' },
      { mode: 'filename', filenameRegex: '(' },
      { mode: 'filename', filenameRegex: '\\d+', timeFormat: 'qq' },
      { mode: 'filename', filenameRegex: 'a'.repeat(201) },
    ]
    for (const time of times) {
      const body = { import: { data: { type: 'mosaic', location: 'm', time } } }
      assert.equal((await client.call('POST', '', body)).status, 400, JSON.stringify(time))
    }
    assert.deepEqual((await client.call('GET', '')).json.imports, [])
  })

  it('of a pattern that would never end are an error of the import', async (test) => {
    const client = await startMosaics(test)
    client.granule(`m/${'a'.repeat(60)}.tif`)
    const id = await createMosaic(client, 'm', { mode: 'filename', filenameRegex: '^(a+)+$' })
    const { json } = await client.call('GET', `/${id}`)
    assert.equal(json.import?.state, 'INIT_ERROR')
    assert.match(String(json.import?.message), /more than 100 ms .* simpler pattern/)
  })
})
