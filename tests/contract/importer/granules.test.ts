import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { listOf } from '../../support/importer-client.ts'
import { createMosaic, makeGranule, runMosaic, startMosaics } from '../../support/mosaics.ts'

const utm18 =
  'PROJCS["WGS_1984_UTM_Zone_18N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-75.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'

describe('a granule of a mosaic', () => {
  it('is shown with its file, place and time, below the task and below the import', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/sub/a_20200131T121314.tif')
    client.granule('m/b_2021.tif', { column: 1 })
    writeFileSync(join(client.server.dataDir, 'incoming/m/b_2021.prj'), 'LOCAL_CS["x"]')
    const id = await createMosaic(client, 'm', { mode: 'auto' })
    for (const owner of [`/${id}`, `/${id}/task/0`, `/${id}/tasks/0`]) {
      const { json } = await client.call('GET', `${owner}/data/files`)
      const names = listOf(json.files).map(({ file }) => file)
      assert.deepEqual(names, ['b_2021.tif', 'a_20200131T121314.tif'])
      const fileId = encodeURIComponent('sub/a_20200131T121314.tif')
      const entry = await client.call('GET', `${owner}/data/files/${fileId}`)
      assert.equal(entry.status, 200)
      const { type, format, file, prj, other, timestamp, location, href } = entry.json
      assert.deepEqual(
        { type, format, file, prj, other, timestamp },
        {
          type: 'file',
          format: 'GeoTIFF',
          file: 'a_20200131T121314.tif',
          prj: null,
          other: [],
          timestamp: '2020-01-31T12:13:14.000+0000',
        },
      )
      assert.match(String(location), /incoming\/m\/sub$/)
      assert.ok(String(href).endsWith(`/data/files/${fileId}`))
    }
    const beside = await client.call('GET', `/${id}/data/files/b_2021.tif`)
    assert.equal(beside.json.prj, 'b_2021.prj')
  })

  it('is given its time by PUT, in the pattern of the contract or in ISO 8601', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const id = await createMosaic(client, 'm')
    const path = `/${id}/task/0/data/files/a.tif`
    const before = await client.call('GET', path)
    assert.equal(before.json.timestamp, undefined)
    const given: [string, string][] = [
      ['2000-01-01T00:00:00.000+0000', '2000-01-01T00:00:00.000+0000'],
      ['2000-01-01T02:00:00.250+0200', '2000-01-01T00:00:00.250+0000'],
      ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000+0000'],
      ['2000-01-01T00:30:00+00:30', '2000-01-01T00:00:00.000+0000'],
    ]
    for (const [timestamp, expected] of given) {
      const put = await client.call('PUT', path, { timestamp })
      assert.equal(put.status, 200, put.text)
      assert.equal(put.json.timestamp, expected)
      assert.equal(put.json.file, 'a.tif')
    }
    for (const body of [
      {},
      { timestamp: 'yesterday' },
      { timestamp: '2000-01-01' },
      { timestamp: '2000-13-01T00:00:00Z' },
    ]) {
      assert.equal((await client.call('PUT', path, body)).status, 400, JSON.stringify(body))
    }
    const unknown = await client.call('PUT', `/${id}/data/files/b.tif`, { timestamp: '2000-01-01T00:00:00Z' })
    assert.equal(unknown.status, 404)
    assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
    const { json } = await client.read('m')
    assert.deepEqual(json.extent?.temporal?.values, ['2000-01-01T00:00:00.000Z'])
  })

  it('is changed and taken out only in the state that If-Match names', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const id = await createMosaic(client, 'm')
    const path = `/${id}/data/files/a.tif`
    const { headers } = await client.call('GET', path)
    const match = { 'if-match': String(headers.etag) }
    const body = { timestamp: '2000-01-01T00:00:00Z' }
    assert.equal((await client.call('PUT', path, body, match)).status, 200)
    assert.equal((await client.call('PUT', path, body, match)).status, 412)
    assert.equal((await client.call('DELETE', path, undefined, match)).status, 412)
    assert.equal((await client.call('DELETE', path)).status, 200)
  })

  it('of another kind than a granule takes no time', async (test) => {
    const client = await startMosaics(test)
    client.granule('a.tif')
    const created = await client.call('POST', '', { import: { data: { type: 'file', file: 'a.tif' } } })
    const path = `/${created.json.import?.id}/data/files/a.tif`
    const put = await client.call('PUT', path, { timestamp: '2000-01-01T00:00:00Z' })
    assert.equal(put.status, 400)
    assert.match(put.text, /not a granule of a mosaic/)
  })

  it('stays as it is once it is published', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    const id = await createMosaic(client, 'm')
    await runMosaic(client, id)
    const path = `/${id}/data/files/a.tif`
    const put = await client.call('PUT', path, { timestamp: '2000-01-01T00:00:00Z' })
    assert.equal(put.status, 409)
    assert.equal((await client.call('DELETE', path)).status, 409)
    assert.ok(existsSync(join(client.server.dataDir, 'incoming/m/a.tif')))
  })
})

describe('granules that do not fit', () => {
  it('are named with what is wrong; the mosaic runs when they are deleted', async (test) => {
    const client = await startMosaics(test)
    const folder = join(client.server.dataDir, 'incoming/m')
    for (const [column, name] of ['a', 'b', 'c'].entries()) client.granule(`m/${name}.tif`, { column })
    client.granule('m/bands.tif', { bands: 2 })
    client.granule('m/crs.tif', { srs: 'EPSG:32619' })
    client.granule('m/float.tif', { dataType: 'Float32' })
    client.granule('m/place.tif', { isPlaceless: true })
    client.granule('m/short.tif')
    truncateSync(join(folder, 'short.tif'), 20)
    writeFileSync(join(folder, 'text.tif'), 'no raster')
    writeFileSync(join(folder, 'notes.md'), 'no granule')
    client.provide('raster/world.byte.tif', 'm/world.tif')
    const faults: Record<string, RegExp> = {
      'bands.tif': /2 bands \(Byte, Byte\), but the mosaic has 1 band \(Byte\)/,
      'crs.tif': /EPSG:32619, but the mosaic has EPSG:32618/,
      'float.tif': /1 band \(Float32\), but the mosaic has 1 band \(Byte\)/,
      'place.tif': /has no extent/,
      'short.tif': /cannot be read/,
      'text.tif': /no raster format can read it/,
      'world.tif': /EPSG:4326, but the mosaic has EPSG:32618/,
    }
    const id = await createMosaic(client, 'm')
    const { json } = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(json.task?.state, 'ERROR')
    assert.match(
      String(json.task?.errorMessage),
      /7 of 10 files cannot be granules .* Delete them from the data/,
    )
    const messages = listOf(json.task?.messages).map(({ message }) => String(message))
    for (const [name, reason] of Object.entries(faults)) {
      const entry = await client.call('GET', `/${id}/data/files/${name}`)
      assert.match(String(entry.json.message), reason)
      assert.ok(
        messages.some((text) => text.startsWith(`"${name}"`) && reason.test(text)),
        name,
      )
    }
    const { text } = await client.call('GET', `/${id}`)
    assert.match(text, /are not rasters and are not part of the mosaic: notes\.md/)

    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal(
      (await client.call('GET', `/${id}/tasks/0`)).json.task?.state,
      'ERROR',
      'it does not run meanwhile',
    )
    for (const name of Object.keys(faults)) {
      assert.equal((await client.call('DELETE', `/${id}/task/0/data/files/${name}`)).status, 200)
    }
    assert.ok(existsSync(join(folder, 'crs.tif')), 'a file of the user is not deleted')
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'READY')
    assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
    assert.equal((await client.read('m')).json.granuleCount, 3)
  })

  it('may be mended where they lie, and the import run again', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    client.granule('m/b.tif', { column: 1, srs: 'EPSG:4258' })
    client.granule('m/c.tif', { column: 2 })
    client.granule('m/d.tif', { isPlaceless: true })
    const id = await createMosaic(client, 'm')
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'ERROR')
    client.granule('m/b.tif', { column: 1 })
    const folder = join(client.server.dataDir, 'incoming/m')
    writeFileSync(join(folder, 'd.tfw'), '10\n0\n0\n-10\n400305\n3999995\n')
    writeFileSync(join(folder, 'd.prj'), utm18)
    const done = await runMosaic(client, id)
    assert.equal(done.state, 'COMPLETE', String(done.errorMessage))
    assert.equal((await client.read('m')).json.granuleCount, 4)
  })

  it('are NO_BOUNDS where none of them has a place', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif', { isPlaceless: true })
    const id = await createMosaic(client, 'm')
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'NO_BOUNDS')
  })

  it('are named where they are gone when the import runs', async (test) => {
    const client = await startMosaics(test)
    client.granule('m/a.tif')
    client.granule('m/b.tif', { column: 1 })
    const id = await createMosaic(client, 'm')
    rmSync(join(client.server.dataDir, 'incoming/m/b.tif'))
    const failed = await runMosaic(client, id)
    assert.equal(failed.state, 'ERROR')
    assert.match(String(failed.errorMessage), /"b\.tif" no longer exists/)
    assert.equal((await client.read('m')).status, 404)
    await client.call('DELETE', `/${id}/data/files/b.tif`)
    assert.equal((await runMosaic(client, id)).state, 'COMPLETE')
  })

  it('of an upload go from disk when they are deleted, and the last one takes the task to NO_FORMAT', async (test) => {
    const client = await startMosaics(test)
    const made = join(client.server.dataDir, 'made.tif')
    makeGranule(made)
    const id = await createMosaic(client, undefined)
    await client.upload(id, [{ name: 'a.tif', content: readFileSync(made) }])
    const kept = join(client.server.dataDir, 'uploads', String(id), '0/a.tif')
    assert.ok(existsSync(kept))
    assert.equal((await client.call('DELETE', `/${id}/data/files/a.tif`)).status, 200)
    assert.ok(!existsSync(kept))
    const { json } = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(json.task?.state, 'NO_FORMAT')
  })
})
