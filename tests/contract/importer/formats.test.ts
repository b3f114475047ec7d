import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gdalFixture, needsGdal } from '../../support/gdal-files.ts'
import { geoParquetBytes } from '../../support/geoparquet-writer.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { writeXlsx } from '../../support/spreadsheet-writer.ts'

const incoming = ({ server }: ImporterClient, name: string): string => join(server.dataDir, 'incoming', name)

async function create(client: ImporterClient, file: string): Promise<Json[]> {
  const created = await client.call('POST', '', { import: { data: { type: 'file', file } } })
  assert.equal(created.status, 201, created.text)
  return listOf((await client.call('GET', '/0/tasks?expand=2')).json.tasks)
}

const shown = (tasks: Json[]): unknown[] =>
  tasks.map(({ state, layer, data }) => [data?.format, layer?.name, layer?.srs, state])

describe('importing GeoParquet', () => {
  it('makes a published layer in the CRS that the file declares', async (test) => {
    const client = await startImporter(test)
    client.provide('geoparquet/example.parquet')
    const tasks = await create(client, 'example.parquet')
    assert.deepEqual(shown(tasks), [['GeoParquet', 'example', 'EPSG:4326', 'READY']])
    assert.equal((await client.call('POST', '/0')).status, 204)
    const items = listOf((await readItems(client, 'default:example')).features)
    assert.deepEqual(
      items.map(({ properties }) => [properties?.name, properties?.pop_est]),
      [
        ['Fiji', 920_938],
        ['Tanzania', 53_950_935],
        ['W. Sahara', 603_253],
        ['Canada', 35_623_680],
        ['United States of America', 326_625_791],
      ],
    )
  })

  it('takes a Parquet file without geometry as a table, which waits for a CRS like other tables', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: {} })
    const content = geoParquetBytes({ columnData: [{ name: 'a', data: ['x', 'y'] }] })
    const sent = await client.upload(0, [{ name: 'table.parquet', content }])
    assert.equal(sent.json.task?.state, 'NO_CRS', sent.text)
    await client.call('PUT', '/0/tasks/0', { task: { layer: { srs: 'EPSG:4326' } } })
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.deepEqual([task?.state, task?.rowsLoaded], ['COMPLETE', 2])
  })
})

describe('importing a .dbf without a .shp', () => {
  it('makes a table in the encoding that the .cpg beside it names', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: {} })
    const fixture = (name: string) =>
      readFileSync(join(import.meta.dirname, '../../fixtures/shapefile', name))
    const sent = await client.upload(0, [
      { name: 'table.dbf', content: fixture('utf.dbf') },
      { name: 'table.cpg', content: fixture('utf.cpg') },
    ])
    assert.equal(sent.json.task?.data?.format, 'dBASE', sent.text)
    await client.call('PUT', '/0/tasks/0', { task: { layer: { srs: 'EPSG:4326' } } })
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.deepEqual([task?.state, task?.rowsLoaded], ['COMPLETE', 2])
  })
})

describe('importing through GDAL', needsGdal, () => {
  it('makes a task a sheet, tables that wait for a CRS', async (test) => {
    const client = await startImporter(test)
    writeXlsx(incoming(client, 'book.xlsx'), {
      Places: [
        ['code', 'n'],
        ['007', { number: '1' }],
      ],
      Empty: [],
      'More places': [
        ['a', 'b'],
        ['x', 'y'],
      ],
    })
    const tasks = await create(client, 'book.xlsx')
    const format = 'MS Office Open XML spreadsheet'
    assert.deepEqual(
      shown(tasks).map((one) => (one as unknown[]).filter((value) => value !== undefined)),
      [
        [format, 'Places', 'NO_CRS'],
        [format, 'More_places', 'NO_CRS'],
      ],
    )
    await client.call('PUT', '/0/tasks/0', { task: { layer: { srs: 'EPSG:4326' } } })
    await client.call('POST', '/0')
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.deepEqual([task?.state, task?.rowsLoaded], ['COMPLETE', 1])
  })

  it('shows the types found in GML, with an example of each', async (test) => {
    const client = await startImporter(test)
    client.provide('gdal/places.gml')
    const tasks = await create(client, 'places.gml')
    assert.deepEqual(shown(tasks), [['GML', 'place', 'EPSG:25832', 'READY']])
    const { layer } = (await client.call('GET', '/0/tasks/0/layer')).json
    const code = listOf(layer?.attributes).find(({ name }) => String(name) === 'code')
    assert.deepEqual([code?.binding, code?.example], ['java.lang.String', '007'])
  })

  it('reads a File Geodatabase from its folder and leaves it as it was', async (test) => {
    const client = await startImporter(test)
    const path = incoming(client, 'places.gdb')
    execFileSync('ogr2ogr', ['-f', 'OpenFileGDB', path, gdalFixture('places.gml').path])
    const before = readdirSync(path)
    const tasks = await create(client, 'places.gdb')
    assert.deepEqual(shown(tasks), [['ESRI FileGDB', 'place', 'EPSG:25832', 'READY']])
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal(await countFeatures(client, 'default:place'), 3)
    assert.deepEqual(readdirSync(path), before)
  })

  it('reads every layer of a File Geodatabase in a zip', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: {} })
    const content = readFileSync(gdalFixture('testopenfilegdb.gdb.zip').path)
    const sent = await client.upload(0, [{ name: 'test.gdb.zip', content }])
    assert.equal(sent.status, 201, sent.text)
    const tasks = listOf(sent.json.tasks)
    assert.equal(tasks.length, 36)
    const states = new Set(tasks.map(({ state }) => String(state)))
    assert.deepEqual([...states].sort(), ['NO_CRS', 'READY'])
  })

  it('offers the labels of coded values as a second column, and shows aliases as titles', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: {} })
    const content = readFileSync(gdalFixture('domains.gdb.zip').path)
    assert.equal((await client.upload(0, [{ name: 'domains.gdb.zip', content }])).status, 201)
    const task = (await client.call('GET', '/0/tasks/0')).json.task
    const [proposal] = listOf(task?.proposals)
    assert.deepEqual(proposal, {
      kind: 'labels',
      transform: { type: 'CodedValueLabelTransform', field: 'kind', labelField: 'kind_label' },
      evidence: 'Column "kind" contains codes with labels: 1 = Wald, 2 = Wiese',
    })
    const layer = (await client.call('GET', '/0/tasks/0/layer')).json.layer
    const kind = listOf(layer?.attributes).find(({ name }) => String(name) === 'kind')
    assert.equal(String(kind?.title), 'Art der Fläche')
    const added = await client.call('POST', '/0/tasks/0/transforms', proposal?.transform)
    assert.equal(added.status, 201, added.text)
    assert.equal((await client.call('GET', '/0/tasks/0')).json.task?.proposals, undefined)
    assert.equal((await client.call('POST', '/0')).status, 204)
    const features = listOf((await readItems(client, 'default:flaechen')).features)
    assert.deepEqual(
      features.map(({ properties }) => [properties?.OBJECTID, properties?.kind, properties?.kind_label]),
      [
        [501, 1, 'Wald'],
        [777, 2, 'Wiese'],
      ],
    )
    const wrong = { type: 'CodedValueLabelTransform', field: 'txt' }
    await client.call('POST', '', { import: {} })
    await client.upload(1, [{ name: 'domains.gdb.zip', content }])
    const refused = await client.call('POST', '/1/tasks/0/transforms', wrong)
    assert.deepEqual([refused.status, String(refused.json.code)], [400, 'unsuitable-field'])
  })
})
