import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runProgram } from '../../../src/core/process/process.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import {
  appendTransforms,
  gdalInfo,
  publishedPath,
  readTask,
  rgbRaster,
  uploadRaster,
} from '../../support/raster-imports.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const warp = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857', '-r', 'bilinear'] }
const translate = {
  type: 'RasterTranslateTransform',
  options: ['-co', 'TILED=YES', '-co', 'COMPRESS=DEFLATE', '-b', '1', '-b', '3'],
}
const overview = { type: 'RasterOverviewTransform', options: ['-r', 'average'], levels: [2, 4] }

async function waitFor(
  client: ImporterClient,
  path: string,
  isReached: (json: Json) => boolean,
): Promise<Json> {
  for (;;) {
    const { json } = await client.call('GET', path)
    if (isReached(json)) return json
    await sleep(20)
  }
}

describe('flow 4: a raster is optimised', () => {
  it('warps, translates and adds overviews in that order, and publishes what comes of it', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp, translate, overview)
    assert.equal((await readTask(client, id)).state, 'READY')

    assert.equal((await client.call('POST', `/${id}?async=true`)).status, 204)
    const { import: done } = await waitFor(
      client,
      `/${id}`,
      (json) => json.import?.state !== ('RUNNING' as unknown as Json),
    )
    assert.equal(done?.state, 'COMPLETE', JSON.stringify(done))

    const path = await publishedPath(client, id)
    const info = gdalInfo(path)
    assert.match(String(info.coordinateSystem?.wkt), /ID\["EPSG",3857\]\]$/)
    assert.deepEqual(info.size, [803, 736])
    assert.equal(info.metadata?.IMAGE_STRUCTURE?.COMPRESSION, 'DEFLATE')
    const bands = listOf(info.bands)
    assert.deepEqual(
      bands.map(({ colorInterpretation }) => colorInterpretation),
      ['Red', 'Blue'],
    )
    for (const band of bands) {
      assert.deepEqual(band.overviews, [{ size: [402, 368] }, { size: [201, 184] }])
      assert.deepEqual(band.block, [256, 256])
      assert.equal(band.noDataValue, 0)
    }
    assert.deepEqual(readdirSync(join(path, '..')), ['scene.tif'])
  })

  it('gives the published layer the CRS, bounds and format of the result', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp, overview)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const { layer } = (await client.call('GET', `/${id}/tasks/0/layer`)).json
    assert.equal(layer?.srs, 'EPSG:3857')
    assert.ok(Number(layer?.bbox?.minx) < -8_700_000)
    const task = await readTask(client, id)
    assert.deepEqual(task.target?.coverageStore?.type, 'GeoTIFF')
    assert.equal(task.transformChain?.type, 'raster')
  })

  it('leaves a file in an import root as it is, and nothing beside it', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    const created = await client.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'RGB.byte.tif' }, transforms: [overview] },
    })
    const id = Number(created.json.import?.id)
    assert.equal((await readTask(client, id)).state, 'COMPLETE')
    const incoming = join(client.server.dataDir, 'incoming')
    assert.deepEqual(readdirSync(incoming), ['RGB.byte.tif'])
    assert.deepEqual(readFileSync(join(incoming, 'RGB.byte.tif')), rgbRaster)
    const path = await publishedPath(client, id)
    assert.ok(path.startsWith(join(client.server.dataDir, 'stores')))
    const [band] = listOf(gdalInfo(path).bands)
    assert.deepEqual(band?.overviews, [{ size: [396, 359] }, { size: [198, 180] }])
  })

  it('replaces the raster of a published layer by what the chain makes', async (test) => {
    const client = await startImporter(test)
    const first = await uploadRaster(client)
    assert.equal((await client.call('POST', `/${first}`)).status, 204)
    const { layer } = await readTask(client, first)
    const second = await uploadRaster(client)
    await appendTransforms(client, second, warp)
    const changed = await client.call('PUT', `/${second}/tasks/0`, {
      task: { updateMode: 'REPLACE', layer: { name: layer?.name } },
    })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await client.call('POST', `/${second}`)).status, 204)
    assert.equal((await readTask(client, second)).state, 'COMPLETE')
    const info = gdalInfo(await publishedPath(client, second))
    assert.match(String(info.coordinateSystem?.wkt), /ID\["EPSG",3857\]\]$/)
  })
})

describe('a raster without CRS', () => {
  /** A small GeoTIFF made of the fixture without CRS. */
  async function makeRaster(test: TestContext, ...options: string[]): Promise<Buffer> {
    const path = join(temporaryFolder(test), 'made.tif')
    await runProgram('gdal_translate', ['-q', ...options, 'tests/fixtures/raster/float_nan.tif', path])
    return readFileSync(path)
  }
  const points = ['0 0 -78 25', '50 0 -77 25', '0 50 -78 24'].flatMap((one) => ['-gcp', ...one.split(' ')])

  async function runChain(client: ImporterClient, content: Buffer, transform: object): Promise<Json> {
    const id = await uploadRaster(client, { content })
    assert.equal((await readTask(client, id)).state, 'NO_CRS')
    await appendTransforms(client, id, transform)
    assert.equal((await readTask(client, id)).state, 'READY')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal((await readTask(client, id)).state, 'COMPLETE')
    return (await client.call('GET', `/${id}/tasks/0/layer`)).json.layer ?? {}
  }

  it('is READY when a warp tells the CRS of the source', async (test) => {
    const client = await startImporter(test)
    const options = ['-s_srs', 'EPSG:4326', '-t_srs', 'EPSG:3857']
    const content = await makeRaster(test, '-a_ullr', '10', '50', '11', '49')
    const layer = await runChain(client, content, { type: 'RasterWarpTransform', options })
    assert.equal(layer.srs, 'EPSG:3857')
  })

  it('is READY when a warp goes to a CRS by control points', async (test) => {
    const client = await startImporter(test)
    const content = await makeRaster(test, '-outsize', '50', '50', ...points)
    const layer = await runChain(client, content, {
      type: 'RasterWarpTransform',
      options: ['-t_srs', 'EPSG:4326'],
    })
    assert.equal(layer.srs, 'EPSG:4326')
    assert.ok(Math.abs(Number(layer.bbox?.minx) + 78) < 0.1)
  })

  it('is READY when a translation assigns one', async (test) => {
    const client = await startImporter(test)
    const content = await makeRaster(test, '-a_ullr', '10', '50', '11', '49')
    const layer = await runChain(client, content, {
      type: 'RasterTranslateTransform',
      options: ['-a_srs', 'EPSG:4258'],
    })
    assert.equal(layer.srs, 'EPSG:4258')
  })

  it('stays NO_CRS when a warp only says where to, and when the transformation is taken away', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client, {
      content: await makeRaster(test, '-a_ullr', '10', '50', '11', '49'),
    })
    await appendTransforms(client, id, { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] })
    assert.equal((await readTask(client, id)).state, 'NO_CRS')
    await client.call('PUT', `/${id}/tasks/0/transforms/0`, { options: ['-s_srs', 'EPSG:4326'] })
    assert.equal((await readTask(client, id)).state, 'READY')
    await client.call('DELETE', `/${id}/tasks/0/transforms/0`)
    assert.equal((await readTask(client, id)).state, 'NO_CRS')
  })

  it('is warped from the CRS that the client gives its layer', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client, {
      content: await makeRaster(test, '-a_ullr', '10', '50', '11', '49'),
    })
    await appendTransforms(client, id, { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] })
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    assert.equal((await readTask(client, id)).state, 'READY')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const info = gdalInfo(await publishedPath(client, id))
    assert.ok(Math.abs(Number(info.cornerCoordinates?.upperLeft?.[0]) - 1_113_194.9) < 1)
  })
})
