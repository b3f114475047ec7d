import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tableRows } from '../../../tests/support/table-batches.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { findProgram, runProgram } from '../../lib/process.ts'
import type { DataFile, Format, LayerDescription } from '../format.ts'
import { gdalFormats } from './gdal.ts'

const context = { signal: new AbortController().signal }
const needsGdal = { skip: (await findProgram('ogr2ogr')) === undefined }

function fixture(name: string): DataFile {
  return {
    path: fileURLToPath(new URL(`../../../tests/fixtures/gdal/${name}`, import.meta.url)),
    sidecars: {},
  }
}

async function formatOf(file: DataFile): Promise<Format | undefined> {
  const head = readFileSync(file.path).subarray(0, 1 << 16)
  for (const format of gdalFormats) if (await format.detect(file, head)) return format
  return undefined
}

async function describeFile(file: DataFile): Promise<LayerDescription[]> {
  const format = await formatOf(file)
  assert.ok(format !== undefined)
  return format.describe(file, context)
}

async function readLayer(file: DataFile, layer: LayerDescription): Promise<FeatureBatch[]> {
  const batches: FeatureBatch[] = []
  for await (const batch of (await formatOf(file))?.read(file, layer, context) ?? []) batches.push(batch)
  return batches
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-test-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('detection of what GDAL reads', () => {
  it('knows files by extension and content', async () => {
    assert.equal((await formatOf(fixture('KML_Samples.kml')))?.name, 'KML')
    assert.equal((await formatOf(fixture('trek.gpx')))?.name, 'GPX')
    assert.equal((await formatOf(fixture('places.gml')))?.name, 'GML')
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
    const file = fixture('places.gml')
    const [layer] = await describeFile(file)
    assert.ok(layer !== undefined)
    assert.equal(layer.name, 'place')
    assert.equal(layer.featureCount, 3)
    assert.equal(layer.schema.geometry?.type, 'Point')
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:25832')
    assert.deepEqual(layer.envelope, { minX: 500_000, minY: 5_600_000, maxX: 500_001, maxY: 5_600_001 })
    const [batch] = await readLayer(file, layer)
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

  it('reads every feature of every layer, with heights where there are some', async () => {
    const file = fixture('KML_Samples.kml')
    const layers = await describeFile(file)
    let rows = 0
    for (const layer of layers) {
      for (const batch of await readLayer(file, layer)) {
        rows += batch.rowCount
        assert.equal(batch.rejects.length, 0)
      }
    }
    assert.equal(rows, 21, '20 placemarks and a ground overlay')
    assert.equal(layers.find(({ name }) => name === 'Extruded Polygon')?.schema.geometry?.hasZ, true)
    assert.equal(layers.find(({ name }) => name === 'Paths')?.schema.geometry?.type, 'LineString')
  })

  it('leaves out empty layers beside filled ones', async () => {
    const layers = await describeFile(fixture('trek.gpx'))
    assert.deepEqual(
      layers.map(({ name, featureCount }) => [name, featureCount]),
      [
        ['routes', 1],
        ['route_points', 120],
      ],
    )
  })

  it('reads a spreadsheet as a table, with dates and numbers', async () => {
    await withFolder(async (folder) => {
      const source = join(folder, 'in.csv')
      await writeFile(source, 'name,amount,day\nä,1.5,2024/02/29\nb,,\n')
      await writeFile(join(folder, 'in.csvt'), '"String","Real","Date"')
      const path = join(folder, 'out.xlsx')
      await runProgram('ogr2ogr', ['-f', 'XLSX', path, source])
      const [layer] = await describeFile({ path, sidecars: {} })
      assert.ok(layer !== undefined)
      assert.equal(layer.schema.geometry, undefined)
      const [batch] = await readLayer({ path, sidecars: {} }, layer)
      assert.deepEqual(batch && tableRows(batch), [
        ['ä', 1.5, 19_782],
        ['b', null, null],
      ])
    })
  })

  it('writes nothing beside the file and leaves no folder behind', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'my places.gml')
      await copyFile(fixture('places.gml').path, path)
      const links = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('terrane-gdal-'))
      const before = links()
      const [layer] = await describeFile({ path, sidecars: {} })
      assert.ok(layer !== undefined)
      for await (const _ of (await formatOf({ path, sidecars: {} }))?.read(
        { path, sidecars: {} },
        layer,
        context,
      ) ?? [])
        break
      assert.deepEqual(await readdir(folder), [basename(path)])
      assert.deepEqual(
        links().filter((name) => !before.includes(name)),
        [],
      )
    })
  })

  it('reads sidecars of any letter case', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'made'))
      const made = join(folder, 'made', 'p.tab')
      await runProgram('ogr2ogr', ['-f', 'MapInfo File', made, fixture('places.gml').path])
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
  })

  it('says what is wrong with broken and truncated files', async () => {
    await withFolder(async (folder) => {
      const text = readFileSync(fixture('places.gml').path, 'utf8')
      const cut = join(folder, 'cut.gml')
      await writeFile(cut, text.slice(0, text.lastIndexOf('</gml:featureMember>')))
      await assert.rejects(describeFile({ path: cut, sidecars: {} }), { code: 'truncated-file' })
      const broken = join(folder, 'broken.xlsx')
      await writeFile(broken, 'PK\u0003\u0004 and nothing that belongs to it')
      await assert.rejects(describeFile({ path: broken, sidecars: {} }), { code: 'gdal-failed' })
    })
  })

  it('stops when it is told to', async () => {
    const reason = new Error('enough')
    const file = fixture('places.gml')
    const format = await formatOf(file)
    await assert.rejects(async () => format?.describe(file, { signal: AbortSignal.abort(reason) }), reason)
  })
})
