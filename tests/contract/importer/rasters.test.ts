import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { without } from '../../../src/core/values/defined.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { gdal, importRaster, rasterBytes, rasterFixtures, taskOf } from '../../support/rasters.ts'

async function getJson({ server }: ImporterClient, url: string): Promise<Json> {
  const reply = await server.app.inject({ method: 'GET', url, headers: server.admin })
  assert.equal(reply.statusCode, 200, `${url}: ${reply.body}`)
  return JSON.parse(reply.body) as Json
}

/** Uploads files into a new import, and gives its id. */
async function upload(client: ImporterClient, ...names: string[]): Promise<number> {
  const { json } = await client.call('POST', '', {})
  const id = Number(json.import?.id)
  const sent = await client.upload(
    id,
    names.map((name) => ({ name, content: rasterBytes(name) })),
  )
  assert.equal(sent.status, 201, sent.text)
  return id
}

/** A PNG without georeference. */
function providePlainImage({ server }: ImporterClient): string {
  const path = join(server.dataDir, 'incoming', 'plain.png')
  const options = ['-of', 'PNG', '-outsize', '79', '71', '-co', 'WORLDFILE=NO']
  gdal('gdal_translate', '-q', ...options, join(rasterFixtures, 'RGB.byte.tif'), path)
  execFileSync('rm', ['-f', `${path}.aux.xml`])
  return 'plain.png'
}

async function create(client: ImporterClient, file: string, more: object = {}): Promise<Json> {
  const created = await client.call('POST', '', { import: { data: { type: 'file', file }, ...more } })
  assert.equal(created.status, 201, created.text)
  return taskOf(client, Number(created.json.import?.id))
}

const incoming = ({ server }: ImporterClient): string[] =>
  readdirSync(join(server.dataDir, 'incoming')).sort()

describe('an import of a raster', () => {
  it('makes a task for a GeoTIFF in an import root, which becomes a coverage where it lies', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    const task = await create(client, 'RGB.byte.tif')
    assert.equal(task.state, 'READY')
    assert.equal(task.data?.format, 'GeoTIFF')
    assert.equal(task.transformChain?.type, 'raster')
    assert.deepEqual(task.target?.coverageStore, {
      name: 'RGB_byte',
      type: 'GeoTIFF',
      enabled: true,
      workspace: { name: 'default' },
      connectionParameters: { entry: [] },
    })
    const { layer } = (await client.call('GET', '/0/tasks/0/layer')).json
    assert.equal(layer?.name, 'RGB_byte')
    assert.equal(layer?.title, 'RGB.byte')
    assert.equal(layer?.srs, 'EPSG:32618')
    assert.equal(layer?.style?.name, 'raster')
    assert.deepEqual(layer?.attributes, [])
    const bbox = without(layer?.bbox ?? {}, 'crs')
    assert.deepEqual(bbox, { minx: 101985, miny: 2611485, maxx: 339315, maxy: 2826915 })
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await taskOf(client, 0)).state, 'COMPLETE')
    const { coverageStore } = await getJson(client, '/rest/workspaces/default/coveragestores/RGB_byte')
    assert.equal(coverageStore?.url, `file:${join(client.server.dataDir, 'incoming', 'RGB.byte.tif')}`)
    assert.equal((await getJson(client, '/rest/layers/default:RGB_byte')).layer?.type, 'RASTER')
    assert.deepEqual(incoming(client), ['RGB.byte.tif'])
  })

  it('copies an uploaded file, which goes on when the uploads are gone', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'world.byte.tif')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const task = await taskOf(client, id)
    assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'uploads')), [])
    const { server } = client
    const url = '/ogc/collections/default:world_byte/file/world.byte.tif'
    const { rawPayload } = await server.app.inject({ method: 'GET', url, headers: server.admin })
    assert.deepEqual(rawPayload, rasterBytes('world.byte.tif'))
  })

  it('tells its progress in bytes', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'world.byte.tif')
    const total = rasterBytes('world.byte.tif').length
    const progress = async () => {
      const { json } = await client.call('GET', `/${id}/tasks/0/progress`)
      return [json.progress, json.total, json.state]
    }
    assert.deepEqual(await progress(), [0, total, 'READY'])
    await client.call('POST', `/${id}`)
    assert.deepEqual(await progress(), [total, total, 'COMPLETE'])
    const { progress: board } = client.server.importer
    const taskProgress = board
      .newsSince(id, 0)
      .flatMap(({ news }) => (news.type === 'progress' ? [news.progress] : []))
    assert.ok(
      taskProgress.some((one) => one.phase === 'loading' && one.progress === total && one.total === total),
    )
  })

  it('gives each file of a folder a task, whatever kind it is', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif', 'mixed/RGB.byte.tif')
    client.provide('geojson/valid.geojson', 'mixed/valid.geojson')
    const { json } = await client.call('POST', '?exec=true', {
      import: { data: { type: 'directory', location: 'mixed' } },
    })
    const tasks = listOf((await client.call('GET', `/${json.import?.id}?expand=3`)).json.import?.tasks)
    assert.deepEqual(
      tasks.map(({ state, data }) => [state, data?.format]),
      [
        ['COMPLETE', 'GeoTIFF'],
        ['COMPLETE', 'GeoJSON'],
      ],
    )
  })
})

describe('a raster task', () => {
  it('without CRS is NO_CRS until it is told, and the copy of an upload then carries it', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'rotated.tif')
    const task = await taskOf(client, id)
    assert.equal(task.state, 'NO_CRS')
    const { layer } = (await client.call('GET', `/${id}/tasks/0/layer`)).json
    assert.deepEqual(layer?.bbox, { minx: 100, miny: 70.0961894323342, maxx: 348.20508075688775, maxy: 300 })
    assert.equal(layer?.srs, undefined)
    assert.equal((await client.call('POST', `/${id}`)).status, 409)
    const reported = await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:32618' } })
    assert.equal(reported.json.layer?.srs, 'EPSG:32618')
    assert.equal((await taskOf(client, id)).state, 'READY')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const { coverageStore } = await getJson(client, '/rest/workspaces/default/coveragestores/rotated')
    const path = String(coverageStore?.url).slice('file:'.length)
    assert.match(execFileSync('gdalinfo', [path]).toString(), /WGS 84 \/ UTM zone 18N/)
    assert.deepEqual(readFileSync(path), rasterBytes('rotated.tif'))
    const coverage = await getJson(client, '/ogc/collections/default:rotated')
    assert.equal(coverage.storageCrs, 'http://www.opengis.net/def/crs/EPSG/0/32618')
    const { x, y } = coverage.resolution as unknown as { x: number; y: number }
    assert.deepEqual([x.toFixed(6), y.toFixed(6)], ['20.000000', '10.000000'])
  })

  it('that is told its CRS leaves a file in place as it is', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/float_nan.tif')
    assert.equal((await create(client, 'float_nan.tif')).state, 'NO_CRS')
    await client.call('PUT', '/0/tasks/0', { layer: { srs: 'EPSG:25832' } })
    await client.call('POST', '/0')
    assert.equal((await taskOf(client, 0)).state, 'COMPLETE')
    assert.deepEqual(incoming(client), ['float_nan.tif'])
    assert.equal((await getJson(client, '/rest/layers/default:float_nan')).layer?.srs, 'EPSG:25832')
  })

  it('with a CRS of its own words has candidates and is matched where the code is known', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/test_esri_wkt.tif')
    const task = await create(client, 'test_esri_wkt.tif')
    const { layer } = (await client.call('GET', '/0/tasks/0/layer')).json
    assert.equal(task.state, 'READY', JSON.stringify(layer))
    assert.match(String(layer?.srs), /^(?:ESRI:102039|EPSG:5070|ESRI:102003)$/)
  })

  it('without extent is NO_BOUNDS, then NO_CRS, and lies where the client says', async (test) => {
    const client = await startImporter(test)
    const task = await create(client, providePlainImage(client))
    assert.equal(task.data?.format, 'WorldImage')
    assert.equal(task.state, 'NO_BOUNDS')
    const bbox = { minx: 10, miny: 50, maxx: 11, maxy: 51 }
    await client.call('PUT', '/0/tasks/0/layer', { layer: { bbox } })
    assert.equal((await taskOf(client, 0)).state, 'NO_CRS')
    await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
    assert.equal((await taskOf(client, 0)).state, 'READY')
    assert.equal((await client.call('POST', '/0')).status, 204)
    const coverage = await getJson(client, '/ogc/collections/default:plain')
    assert.deepEqual(coverage.extent?.spatial?.bbox, [[10, 50, 11, 51]])
    assert.deepEqual(coverage.geoTransform, [10, 1 / 79, 0, 51, 0, -1 / 71])
    assert.deepEqual(incoming(client), ['plain.png'])
  })

  it('into a data store is BAD_FORMAT, and so are features into a coverage store', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    client.provide('geojson/valid.geojson')
    const { server } = client
    await server.app.inject({
      method: 'POST',
      url: '/rest/workspaces/default/datastores',
      headers: server.admin,
      payload: { dataStore: { name: 'features', type: 'GeoPackage' } },
    })
    const raster = await create(client, 'RGB.byte.tif', { targetStore: { dataStore: { name: 'features' } } })
    assert.equal(raster.state, 'BAD_FORMAT')
    assert.match(String(raster.errorMessage), /data store/)
    await importRaster(client, 'RGB.byte.tif')
    const vector = await create(client, 'valid.geojson')
    const path = `/${String(vector.href).split('/imports/')[1]}`
    await client.call('PUT', `${path}/target`, { coverageStore: { name: 'RGB_byte' } })
    const { task } = (await client.call('GET', path)).json
    assert.equal(task?.state, 'BAD_FORMAT')
    assert.match(String(task?.errorMessage), /coverage store/)
  })

  it('takes no APPEND, since only mosaics have granules', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/RGB.byte.tif')
    await importRaster(client, 'RGB.byte.tif')
    await create(client, 'RGB.byte.tif')
    const refused = await client.call('PUT', '/1/tasks/0', { updateMode: 'APPEND' })
    assert.equal(refused.status, 400)
    assert.equal(refused.json.code, 'append-to-coverage')
    assert.equal((await taskOf(client, 1)).updateMode, 'CREATE')
  })

  it('with a broken file is an ERROR that says what GDAL says', async (test) => {
    const client = await startImporter(test)
    const whole = rasterBytes('world.byte.tif')
    const { json } = await client.call('POST', '', {})
    const id = Number(json.import?.id)
    await client.upload(id, [{ name: 'cut.tif', content: whole.subarray(0, 200) }])
    const task = await taskOf(client, id)
    assert.equal(task.state, 'ERROR')
    assert.match(String(task.errorMessage), /GDAL cannot read the file/)
    assert.doesNotMatch(String(task.errorMessage), /\/tmp/)
  })
})
