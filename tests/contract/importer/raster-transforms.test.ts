import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { without } from '../../../src/core/values/defined.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { appendTransforms, postTransform, readTask, uploadRaster } from '../../support/raster-imports.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const warp = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] }
const translate = { type: 'RasterTranslateTransform', options: ['-b', '1'] }
const overview = { type: 'RasterOverviewTransform', options: ['-r', 'average'], levels: [2, 4] }
const index = { type: 'CreateIndexTransform', field: 'NAME' }

/** An import of a table as task 0. */
async function uploadTable(client: ImporterClient, transforms: object[] = []): Promise<number> {
  const created = await client.call('POST', '', { import: { transforms } })
  const id = Number(created.json.import?.id)
  await client.upload(id, [{ name: 'places.csv', content: 'NAME,lat,lon\na,1,2\n' }])
  return id
}

function typesOf(json: Json | undefined): string[] {
  return listOf(json).map(({ type }) => String(type))
}

describe('transformations of a raster task', () => {
  it('are appended, listed in chain order, and shown with all parameters', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    const posted = await postTransform(client, id, warp)
    assert.equal(posted.status, 201)
    const href = String(posted.headers.location)
    assert.ok(href.endsWith(`/rest/imports/${id}/tasks/0/transforms/0`))
    assert.deepEqual(posted.json, { type: warp.type, href, options: warp.options } as unknown as Json)
    await appendTransforms(client, id, translate, overview)
    const { json } = await client.call('GET', `/${id}/tasks/0/transforms`)
    assert.deepEqual(typesOf(json.transforms), [warp.type, translate.type, overview.type])
    assert.deepEqual(json.transforms?.[2]?.levels, [2, 4])
    const { transformChain } = await readTask(client, id)
    assert.equal(transformChain?.type, 'raster')
    assert.equal(listOf(transformChain?.transforms).length, 3)
  })

  it('keep what a PUT leaves out', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, overview)
    const path = `/${id}/tasks/0/transforms/0`
    const changed = without(
      (await client.call('PUT', path, { levels: [8] })).json as Record<string, Json>,
      'href',
    )
    assert.deepEqual(changed, { ...overview, levels: [8] })
    const again = await client.call('PUT', path, { type: 'gdaladdotransform', options: [], levels: [] })
    assert.deepEqual([again.json.options, again.json.levels], [[], []])
    assert.equal((await client.call('PUT', path, { options: ['-ro'] })).status, 400)
    assert.equal((await client.call('PUT', path, { type: warp.type })).status, 400)
    assert.deepEqual((await client.call('GET', path)).json, again.json)
  })

  it('are refused with their reason where parameters or options are wrong, and the chain stays', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    const wrong: [object, RegExp][] = [
      [{ type: 'RasterWarpTransform' }, /needs the parameter "options"/],
      [{ type: 'RasterOverviewTransform', options: [] }, /needs the parameter "levels"/],
      [{ ...overview, levels: ['2'] }, /levels/],
      [{ ...translate, options: ['-of', 'VRT'] }, /GTiff or COG/],
      [{ ...translate, options: ['/etc/passwd'] }, /is given where an option was expected/],
      [{ ...warp, options: ['-cutline', '/etc/passwd'] }, /another dataset/],
      [{ ...warp, options: ['-t_srs', '/etc/passwd'] }, /without file names/],
      [{ ...warp, options: ['--config', 'GDAL_DATA', '/'] }, /not allowed/],
      [{ ...overview, options: ['-ro'] }, /not allowed/],
    ]
    for (const [transform, reason] of wrong) {
      const answer = await postTransform(client, id, transform)
      assert.equal(answer.status, 400, answer.text)
      assert.match(String(answer.json.detail), reason)
    }
    const chain = { transformChain: { transforms: [translate, { ...warp, options: ['x'] }] } }
    const put = await client.call('PUT', `/${id}/tasks/0`, { task: chain })
    assert.equal(put.status, 400)
    assert.match(String(put.json.detail), /Transformation 2 \(RasterWarpTransform\)/)
    assert.deepEqual((await readTask(client, id)).transformChain?.transforms, [])
  })

  it('are replaced as a whole with the chain', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp)
    const chain = { type: 'raster', transforms: [{ ...translate, type: 'GdalTranslateTransform' }, overview] }
    const put = await client.call('PUT', `/${id}/tasks/0`, { task: { transformChain: chain } })
    assert.equal(put.status, 200, put.text)
    assert.deepEqual(typesOf(put.json.task?.transformChain?.transforms), [translate.type, overview.type])
  })

  it('are not those of features, and those of features are not rasters', async (test) => {
    const client = await startImporter(test)
    const raster = await uploadRaster(client)
    const refused = await postTransform(client, raster, index)
    assert.equal(refused.status, 400)
    assert.match(String(refused.json.detail), /acts on vector data, and the task has raster data/)
    const table = await uploadTable(client)
    const other = await postTransform(client, table, warp)
    assert.equal(other.status, 400)
    assert.match(String(other.json.detail), /acts on raster data, and the task has vector data/)
  })

  it('given at creation go to the tasks that they suit', async (test) => {
    const client = await startImporter(test)
    const transforms = [index, { type: 'GdalWarpTransform', options: warp.options }, overview]
    const raster = await uploadRaster(client, { transforms })
    const chain = (await readTask(client, raster)).transformChain
    assert.deepEqual(typesOf(chain?.transforms), [warp.type, overview.type])
    const table = await uploadTable(client, transforms)
    assert.deepEqual(typesOf((await readTask(client, table)).transformChain?.transforms), [index.type])
  })

  it('given at creation are checked, and nothing is created when they are wrong', async (test) => {
    const client = await startImporter(test)
    const transforms = [{ ...warp, options: ['-t_srs', 'http://127.0.0.1/x'] }]
    const answer = await client.call('POST', '', { import: { transforms } })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual((await client.call('GET', '')).json.imports, [])
  })

  it('are refused where the tool is missing, with the package to install', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    const { PATH } = process.env
    process.env.PATH = temporaryFolder(test)
    test.after(() => {
      process.env.PATH = PATH
    })
    for (const answer of [
      await postTransform(client, id, warp),
      await client.call('POST', '', { import: { transforms: [warp] } }),
    ]) {
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.code, 'gdal-missing')
      assert.match(String(answer.json.detail), /gdalwarp.*gdal-bin/)
    }
  })

  it('take a single file, no mosaic', async (test) => {
    const client = await startImporter(test)
    for (const name of ['a.tif', 'b.tif']) client.provide('raster/RGB.byte.tif', `scenes/${name}`)
    const created = await client.call('POST', '', {
      import: { data: { type: 'mosaic', location: 'scenes' } },
    })
    assert.equal(listOf(created.json.import?.tasks).length, 1, created.text)
    const answer = await postTransform(client, Number(created.json.import?.id), overview)
    assert.equal(answer.status, 400, answer.text)
    assert.match(String(answer.json.detail), /single file/)
  })
})

describe('the older names of raster transformations', () => {
  const older = [
    { type: 'GdalWarpTransform', options: warp.options },
    { type: 'gdalTranslateTransform', options: translate.options },
    { type: 'GdalAddoTransform', options: [], levels: [2] },
  ]

  it('are taken in any letter case, and shown as ours', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, ...older)
    const { json } = await client.call('GET', `/${id}/tasks/0/transforms`)
    assert.deepEqual(typesOf(json.transforms), [warp.type, translate.type, overview.type])
  })

  it('are shown in the older dialect, whichever were sent', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    const id = await uploadRaster(client, { transforms: [warp] })
    await appendTransforms(client, id, ...older.slice(1))
    const { transformChain } = (await client.call('GET', `/${id}/tasks/0/transforms`)).json
    const names = ['GdalWarpTransform', 'GdalTranslateTransform', 'GdalAddoTransform']
    assert.equal(transformChain?.type, 'raster')
    assert.deepEqual(typesOf(transformChain?.transforms), names)
    assert.deepEqual(typesOf((await readTask(client, id)).transformChain?.transforms), names)
    assert.deepEqual(typesOf((await client.call('GET', `/${id}`)).json.import?.transforms), names.slice(0, 1))
    const one = await client.call('PUT', `/${id}/tasks/0/transforms/2`, {
      type: 'GdalAddoTransform',
      levels: [4],
    })
    assert.deepEqual([one.json.type, one.json.levels], ['GdalAddoTransform', [4]])
  })
})
