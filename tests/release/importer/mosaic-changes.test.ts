import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listOf } from '../../support/importer-client.ts'
import { createMosaic, runMosaic, startMosaics } from '../../support/mosaics.ts'

describe('a mosaic', () => {
  it('takes no transformations', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const id = await createMosaic(client, 'm')
    const body = { type: 'RasterOverviewTransform', options: [], levels: [2] }
    const posted = await client.call('POST', `/${id}/tasks/0/transforms`, body)
    assert.equal(posted.status, 400, posted.text)
    assert.match(posted.text, /single file/)
  })

  it('cannot go into a data store', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const targetStore = { dataStore: { name: 'default' } }
    const data = { type: 'mosaic', location: 'm' }
    const created = await client.call('POST', '?expand=3', { import: { targetStore, data } })
    assert.equal(listOf(created.json.import?.tasks)[0]?.state, 'BAD_FORMAT', created.text)
  })

  it('of no rasters is NO_FORMAT, and says so', async (test) => {
    const client = await startMosaics(test)
    client.provide('csv/country-labels.csv', 'm/labels.csv')
    const id = await createMosaic(client, 'm')
    const { json, text } = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(json.task?.state, 'NO_FORMAT')
    assert.match(text, /None of these files is a raster: labels\.csv/)
  })

  it('is not what granules are added to that are of another kind, nor a layer that is none', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    client.granule('other/b.tif', { bands: 2 })
    client.granule('far/c.tif', { srs: 'EPSG:32619' })
    client.granule('single.tif')
    await runMosaic(client, await createMosaic(client, 'm'))
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'single.tif' } } })
    const append = async (location: string, name: string) => {
      const id = await createMosaic(client, location)
      const put = await client.call('PUT', `/${id}/tasks/0`, {
        task: { updateMode: 'APPEND', layer: { name } },
      })
      if (put.status !== 200) return put.text
      return String((await runMosaic(client, id)).errorMessage)
    }
    assert.match(await append('other', 'm'), /bands Byte, Byte, but the mosaic "default:m" has Byte/)
    assert.match(await append('far', 'm'), /EPSG:32619, but the mosaic "default:m" has EPSG:32618/)
    assert.match(await append('m', 'single'), /no mosaic is the layer/)
    assert.match(await append('m', 'nothing'), /there is no layer/)
    assert.equal((await client.read('m')).json.granuleCount, 1)
  })

  it('takes two additions at the same time', async (test) => {
    const client = await startMosaics(test)
    for (const [column, name] of ['m/a', 'one/b', 'two/c'].entries())
      client.granule(`${name}.tif`, { column })
    await runMosaic(client, await createMosaic(client, 'm'))
    const targetStore = { coverageStore: { name: 'm' } }
    const ids: number[] = []
    for (const location of ['one', 'two']) {
      const created = await client.call('POST', '', {
        import: { targetStore, data: { type: 'mosaic', location } },
      })
      ids.push(Number(created.json.import?.id))
    }
    const done = await Promise.all(ids.map((id) => runMosaic(client, id)))
    assert.deepEqual(
      done.map(({ state }) => state),
      ['COMPLETE', 'COMPLETE'],
    )
    const { json } = await client.read('m')
    assert.equal(json.granuleCount, 3)
  })

  it('grows by what is imported into its store', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    client.granule('b.tif', { column: 1 })
    client.granule('more/c.tif', { column: 2 })
    await runMosaic(client, await createMosaic(client, 'm'))
    for (const data of [
      { type: 'file', file: 'b.tif' },
      { type: 'mosaic', location: 'more' },
    ]) {
      const targetStore = { coverageStore: { name: 'm' } }
      const created = await client.call('POST', '', { import: { targetStore, data } })
      assert.equal(created.json.import?.state, 'READY', created.text)
      const path = `/${created.json.import?.id}/tasks/0`
      const put = await client.call('PUT', path, { task: { updateMode: 'APPEND' } })
      assert.equal(put.json.task?.state, 'READY', put.text)
      const done = await runMosaic(client, Number(created.json.import?.id))
      assert.equal(done.state, 'COMPLETE', String(done.errorMessage))
    }
    assert.equal((await client.read('m')).json.granuleCount, 3)
    assert.equal((await client.read('c')).status, 404)
  })

  it('grows by a single raster that is appended to it', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    client.granule('b.tif', { column: 1 })
    await runMosaic(client, await createMosaic(client, 'm'))
    const created = await client.call('POST', '', { import: { data: { type: 'file', file: 'b.tif' } } })
    const id = Number(created.json.import?.id)
    await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: 'APPEND', layer: { name: 'm' } } })
    const done = await runMosaic(client, id)
    assert.equal(done.state, 'COMPLETE', String(done.errorMessage))
    assert.equal((await client.read('m')).json.granuleCount, 2)
  })
})
