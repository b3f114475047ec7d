import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import {
  context,
  describeFile,
  formatOf,
  gdalFixture,
  needsGdal,
  ownTemporaryFolder,
  readBatches,
  readTables,
  testFolder,
} from '../../../tests/support/gdal-files.ts'
import { tableRows } from '../../../tests/support/table-batches.ts'
import { runProgram } from '../../core/process/process.ts'
import { gdalFormats } from './gdal.ts'

describe('detection of what GDAL reads', () => {
  it('knows files by extension and content', async () => {
    assert.equal((await formatOf(gdalFixture('places.gml')))?.name, 'GML')
    const head = Buffer.from('\ufeff{"type": "Topology", "objects": {}}')
    for (const name of ['a.topojson', 'a.data']) {
      const found = gdalFormats.filter(
        (format) => format.detect({ path: `/x/${name}`, sidecars: {} }, head) === true,
      )
      assert.deepEqual(
        found.map((format) => format.name),
        ['TopoJSON'],
      )
    }
  })

  it('refuses files that make GDAL read elsewhere, whatever they are called', () => {
    const head = Buffer.from('<OGRVRTDataSource><OGRVRTLayer name="passwd"><SrcDataSource>/etc/passwd')
    for (const extension of ['vrt', 'gml', 'kml', 'gpx', 'tab', 'xml']) {
      const file = { path: `/x/data.${extension}`, sidecars: {} }
      assert.ok(!gdalFormats.some((format) => format.detect(file, head)), extension)
    }
  })

  it('does not take a web page or noise for data', () => {
    for (const extension of ['gml', 'kml', 'gpx', 'tab', 'mif', 'dxf', 'xlsx', 'ods']) {
      const file = { path: `/x/data.${extension}`, sidecars: {} }
      const head = Buffer.from('<!DOCTYPE html><html><body>Not found</body></html>')
      assert.ok(!gdalFormats.some((format) => format.detect(file, head)), extension)
    }
  })
})

describe('reading through GDAL', needsGdal, () => {
  it('keeps text, leading zeros, null geometries and the CRS of GML', async () => {
    const file = gdalFixture('places.gml')
    const [layer] = await describeFile(file)
    assert.ok(layer !== undefined)
    assert.equal(layer.name, 'place')
    assert.equal(layer.featureCount, 3)
    assert.equal(layer.schema.geometry?.type, 'Point')
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:25832')
    assert.deepEqual(layer.envelope, { minX: 500_000, minY: 5_600_000, maxX: 500_001, maxY: 5_600_001 })
    const [batch] = await readBatches(file, layer)
    assert.ok(batch !== undefined)
    assert.deepEqual(
      tableRows(batch).map((row) => row.slice(1)),
      [
        ['Grüße & more', '007'],
        ['No place', '8'],
        ['Back\\slash\ttab', null],
      ],
    )
    assert.equal(batch.geometry?.nullCount, 1)
    assert.equal(batch.geometry?.envelopes[0], 500_000)
  })

  it('leaves out empty layers beside filled ones, and tells heights by what is there', async (test) => {
    const folder = await testFolder(test)
    const path = join(folder, 'a.gml')
    const feature = (name: string, position: string) =>
      `<gml:featureMember><${name}><g><gml:Point><gml:pos srsDimension="3">${position}</gml:pos></gml:Point></g></${name}></gml:featureMember>`
    const features = feature('flat', '1 2 0') + feature('high', '1 2 0') + feature('high', '1 2 3')
    const root = 'gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml/3.2"'
    await writeFile(path, `<${root}>${features}</gml:FeatureCollection>`)
    const tables = await readTables(path)
    assert.deepEqual(
      tables.map(({ layer }) => [layer.name, layer.featureCount, layer.schema.geometry?.type]),
      [
        ['flat', 1, 'Point'],
        ['high', 2, 'Point'],
      ],
    )
    assert.equal(tables[1]?.layer.schema.geometry?.hasZ, true)
  })

  it('reads a spreadsheet as a table, with dates and numbers', async (test) => {
    const folder = await testFolder(test)
    const source = join(folder, 'in.csv')
    await writeFile(source, 'name,amount,day\nä,1.5,2024/02/29\nb,,\n')
    await writeFile(join(folder, 'in.csvt'), '"String","Real","Date"')
    const path = join(folder, 'out.xlsx')
    await runProgram('ogr2ogr', ['-f', 'XLSX', path, source])
    const [layer] = await describeFile({ path, sidecars: {} })
    assert.ok(layer !== undefined)
    assert.equal(layer.schema.geometry, undefined)
    const [batch] = await readBatches({ path, sidecars: {} }, layer)
    assert.deepEqual(batch && tableRows(batch), [
      ['ä', 1.5, 19_782],
      ['b', null, null],
    ])
  })

  it('writes nothing beside the file and leaves no folder behind', async (test) => {
    const folder = await testFolder(test)
    const path = join(folder, 'my places.gml')
    await copyFile(gdalFixture('places.gml').path, path)
    const temporary = await ownTemporaryFolder(test)
    const [layer] = await describeFile({ path, sidecars: {} })
    assert.ok(layer !== undefined)
    for await (const _ of (await formatOf({ path, sidecars: {} }))?.read(
      { path, sidecars: {} },
      layer,
      context,
    ) ?? [])
      break
    assert.deepEqual(await readdir(folder), [basename(path)])
    assert.deepEqual(await readdir(temporary), [])
  })

  it('reads sidecars of any letter case', async (test) => {
    const folder = await testFolder(test)
    await mkdir(join(folder, 'made'))
    const made = join(folder, 'made', 'p.tab')
    await runProgram('ogr2ogr', ['-f', 'MapInfo File', made, gdalFixture('places.gml').path])
    const sidecars: Record<string, string> = {}
    for (const extension of ['dat', 'map', 'id']) {
      sidecars[extension] = join(folder, `P.${extension.toUpperCase()}`)
      await copyFile(join(folder, 'made', `p.${extension}`), sidecars[extension])
    }
    const path = join(folder, 'P.TAB')
    await copyFile(made, path)
    const [layer] = await describeFile({ path, sidecars })
    assert.equal(layer?.featureCount, 3)
  })

  it('says what is wrong with broken and truncated files', async (test) => {
    const folder = await testFolder(test)
    const text = readFileSync(gdalFixture('places.gml').path, 'utf8')
    const cut = join(folder, 'cut.gml')
    await writeFile(cut, text.slice(0, text.lastIndexOf('</gml:featureMember>')))
    await assert.rejects(describeFile({ path: cut, sidecars: {} }), { code: 'truncated-file' })
    const broken = join(folder, 'broken.xlsx')
    await writeFile(broken, 'PK\u0003\u0004 and nothing that belongs to it')
    await assert.rejects(describeFile({ path: broken, sidecars: {} }), { code: 'gdal-failed' })
  })

  it('stops when it is told to', async () => {
    const reason = new Error('enough')
    const file = gdalFixture('places.gml')
    const format = await formatOf(file)
    await assert.rejects(async () => format?.describe(file, { signal: AbortSignal.abort(reason) }), reason)
  })
})
