import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { before, describe, it } from 'node:test'
import { createDatabaseImport, schemaWith } from '../../support/database-import.ts'
import { needsGdal, testFolder } from '../../support/gdal-files.ts'
import { convertVector, translateRaster } from '../../support/gdal-session.ts'
import type { FilePart, ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'

/** A grid of a city, which has no code. */
const own =
  'PROJCS["City grid",GEOGCS["ETRS89",DATUM["European_Terrestrial_Reference_System_1989",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",52.4],PARAMETER["central_meridian",13.4],PARAMETER["scale_factor",1],PARAMETER["false_easting",25000],PARAMETER["false_northing",10000],UNIT["metre",1]]'

const points = [
  [24_000.25, 11_000.5],
  [26_512.125, 9_800.75],
  [25_000, 10_000],
] as const

interface Candidate {
  srs: string | null
  wkt?: string
  evidence: string
  confidence: number
}

/** The same points as a file of each driver, all in the city's grid. */
async function filesOf(test: TestContext): Promise<{ folder: string; files: Map<string, FilePart[]> }> {
  const folder = await testFolder(test)
  const features = points.map((coordinates, number) => ({
    type: 'Feature',
    properties: { number },
    geometry: { type: 'Point', coordinates },
  }))
  const source = join(folder, 'source.geojson')
  writeFileSync(source, JSON.stringify({ type: 'FeatureCollection', features }))
  const files = new Map<string, FilePart[]>()
  const make = (driver: string, name: string, ...more: string[]): void => {
    const target = join(folder, name)
    convertVector(source, target, ['-f', driver, '-a_srs', own, '-nln', 'own', ...more])
    const stem = name.replace(/\.\w+$/, '.')
    const parts = readdirSync(folder).filter((one) => one.startsWith(stem))
    files.set(
      driver,
      parts.map((one) => ({ name: one, content: readFileSync(join(folder, one)) })),
    )
  }
  make('ESRI Shapefile', 'shape.shp')
  make('GPKG', 'package.gpkg')
  make('FlatGeobuf', 'flat.fgb')
  make('MapInfo File', 'map.mif')
  return { folder, files }
}

/** The points in longitude and latitude by GDAL, which takes them through PROJ. */
function byGdal(): number[][] {
  const input = points.map((point) => point.join(' ')).join('\n')
  const output = execFileSync('gdaltransform', ['-s_srs', own, '-t_srs', 'EPSG:4326', '-output_xy'], {
    input,
  })
  return output
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
}

async function uploadAlone(client: ImporterClient, parts: FilePart[]): Promise<number> {
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  const answer = await client.upload(id, parts)
  assert.equal(answer.status, 201, answer.text)
  return id
}

const taskOf = async (client: ImporterClient, id: number): Promise<Json> =>
  (await client.call('GET', `/${id}/tasks/0?expand=3`)).json.task ?? {}

function codesOf(task: Json): string[] {
  return listOf(task.messages).map(({ code }) => String(code))
}

async function coordinatesOf(client: ImporterClient, layer: string): Promise<number[][]> {
  const { features } = await readItems(client, layer)
  return listOf<{ properties: { number?: number }; geometry: { coordinates: number[] } }>(features)
    .sort((a, b) => (a.properties.number ?? 0) - (b.properties.number ?? 0))
    .map(({ geometry }) => geometry.coordinates)
}

function assertNear(found: number[][], expected: number[][], label: string): void {
  assert.equal(found.length, expected.length, label)
  for (const [row, point] of found.entries())
    for (const axis of [0, 1])
      assert.ok(Math.abs((point[axis] ?? 0) - (expected[row]?.[axis] ?? 0)) < 1e-11, `${label} row ${row}`)
}

describe('a CRS that data declare and that has no code', needsGdal, () => {
  before(fileDatabase)

  it('is offered first, and reprojected from exactly, in every format that can declare one', async (test) => {
    const client = await startImporter(test)
    const { files } = await filesOf(test)
    const expected = byGdal()
    for (const [driver, parts] of files) {
      const id = await uploadAlone(client, parts)
      const task = await taskOf(client, id)
      assert.equal(task.state, 'NO_CRS', driver)
      assert.deepEqual(codesOf(task), ['crs-without-code'], driver)
      assert.match(JSON.stringify(task.messages), /City.grid|declare a CRS/, driver)
      const [first, ...others] = listOf<Candidate>(task.layer?.srsCandidates)
      assert.equal(first?.srs, null, driver)
      assert.match(first?.wkt ?? '', /^PROJC(?:S|RS)\[/, driver)
      assert.equal(first?.evidence, 'declared by the file', driver)
      assert.ok(
        others.every(({ confidence }) => confidence <= 0.5),
        `${driver}: ${JSON.stringify(others)}`,
      )
      const shown = await client.call('GET', `/${id}/tasks/0/srs-candidates`)
      const [again] = listOf<Candidate & { bbox: number[] }>(shown.json.srsCandidates)
      assert.deepEqual([again?.srs, again?.wkt], [null, first?.wkt], driver)
      assert.ok(Math.abs((again?.bbox[0] ?? 0) - 13.385) < 0.01, driver)
      const preview = await client.call('GET', `/${id}/tasks/0/preview.geojson?srs=declared`)
      assert.match(preview.text, /13\.3\d+,52\.4/, driver)
      const spec = { type: 'ReprojectTransform', source: 'declared', target: 'EPSG:4326' }
      const added = await client.call('POST', `/${id}/tasks/0/transforms`, spec)
      assert.equal(added.status, 201, added.text)
      const transform = await client.call('GET', `/${id}/tasks/0/transforms/0`)
      assert.deepEqual([transform.json.source, transform.json.target], ['declared', 'EPSG:4326'])
      const ready = await taskOf(client, id)
      assert.deepEqual([ready.state, codesOf(ready)], ['READY', []], driver)
      const dryRunEnded = await client.call('POST', `/${id}/dry-run`)
      assert.equal(dryRunEnded.status, 200, dryRunEnded.text)
      assert.match(
        dryRunEnded.text,
        /"srs":"EPSG:4326","evidence":"The data declare .*?; the rows are loaded in EPSG:4326/,
      )
      assert.equal((await client.call('POST', `/${id}`)).status, 204)
      const done = await taskOf(client, id)
      assert.deepEqual([done.state, done.layer?.srs], ['COMPLETE', 'EPSG:4326'], driver)
      assertNear(await coordinatesOf(client, `default:${done.layer?.name}`), expected, driver)
    }
  })

  it('counts for a table of a database, and for a layer in another CRS that rows are appended to', async (test) => {
    const client = await startImporter(test)
    const texts = points.map(([x, y]) => `(ST_SetSRID(ST_MakePoint(${x}, ${y}), 950123))`).join(',')
    const parameters = await schemaWith(
      `insert into public.spatial_ref_sys (srid, srtext, proj4text) values (950123, '${own}', '') on conflict do nothing;
       create table city (geom geometry(Point, 950123)); insert into city values ${texts}`,
    )
    const created = await createDatabaseImport(client, parameters)
    assert.equal(created.status, 201, created.text)
    const task = await taskOf(client, 0)
    assert.deepEqual([task.state, codesOf(task)], ['NO_CRS', ['crs-without-code']])
    const spec = { type: 'ReprojectTransform', source: 'declared', target: 'EPSG:25833' }
    assert.equal((await client.call('POST', '/0/tasks/0/transforms', spec)).status, 201)
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await taskOf(client, 0)).state, 'COMPLETE')
    const { files } = await filesOf(test)
    const id = await uploadAlone(client, files.get('GPKG') ?? [])
    const change = {
      updateMode: 'APPEND',
      layer: { name: 'city' },
      transformChain: { type: 'vector', transforms: [{ ...spec, target: 'EPSG:4326' }] },
    }
    const changed = await client.call('PUT', `/${id}/tasks/0`, { task: change })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const done = await taskOf(client, id)
    assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
    const found = await coordinatesOf(client, 'default:city')
    assert.equal(found.length, 6)
    const sorted = (list: number[][]) => list.map(([x = 0]) => x).sort((a, b) => a - b)
    const expected = sorted([...byGdal(), ...byGdal()])
    for (const [row, x] of sorted(found).entries()) assert.ok(Math.abs(x - (expected[row] ?? 0)) < 1e-9)
  })

  it('does not come back after a code was given, which the task then says', async (test) => {
    const client = await startImporter(test)
    const { files } = await filesOf(test)
    const id = await uploadAlone(client, files.get('FlatGeobuf') ?? [])
    const put = await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:25833' } })
    assert.equal(put.status, 200, put.text)
    const task = await taskOf(client, id)
    assert.deepEqual([task.state, codesOf(task)], ['READY', ['crs-without-code']])
    assert.match(JSON.stringify(task.messages), /sets their CRS to EPSG:25833/)
    // "declared" still means the CRS that the file declares.
    const spec = { type: 'ReprojectTransform', source: 'declared', target: 'EPSG:4326' }
    assert.equal((await client.call('POST', `/${id}/tasks/0/transforms`, spec)).status, 201)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const done = await taskOf(client, id)
    assertNear(await coordinatesOf(client, `default:${done.layer?.name}`), byGdal(), 'FlatGeobuf')
  })

  it('is refused as a source where the data declare none, and told where a code is unknown', async (test) => {
    const client = await startImporter(test)
    const geometry = { type: 'Point', coordinates: [1, 2] }
    const collection = (crs: unknown): string =>
      JSON.stringify({
        type: 'FeatureCollection',
        crs,
        features: [{ type: 'Feature', properties: {}, geometry }],
      })
    const id = await uploadAlone(client, [{ name: 'none.geojson', content: collection(null) }])
    const spec = { type: 'ReprojectTransform', source: 'declared', target: 'EPSG:4326' }
    const refused = await client.call('POST', `/${id}/tasks/0/transforms`, spec)
    assert.deepEqual([refused.status, refused.json.code], [400, 'no-crs'])
    const named = { type: 'name', properties: { name: 'EPSG:999999' } }
    const unknown = await uploadAlone(client, [{ name: 'unknown.geojson', content: collection(named) }])
    const task = await taskOf(client, unknown)
    assert.deepEqual([task.state, codesOf(task)], ['NO_CRS', ['crs-without-code']])
    assert.match(JSON.stringify(task.messages), /EPSG:999999/)
  })

  it('of a raster is warped from', async (test) => {
    const client = await startImporter(test)
    const folder = await testFolder(test)
    const grid = join(folder, 'grid.asc')
    const rows = Array.from({ length: 8 }, (_, row) =>
      Array.from({ length: 8 }, (_, at) => row * 8 + at).join(' '),
    )
    writeFileSync(
      grid,
      `ncols 8\nnrows 8\nxllcorner 25000\nyllcorner 10000\ncellsize 100\n${rows.join('\n')}\n`,
    )
    const tif = join(folder, 'grid.tif')
    translateRaster(grid, tif, ['-a_srs', own])
    const id = await uploadAlone(client, [{ name: 'grid.tif', content: readFileSync(tif) }])
    const task = await taskOf(client, id)
    assert.deepEqual([task.state, codesOf(task)], ['NO_CRS', ['crs-without-code']])
    assert.equal(listOf<Candidate>(task.layer?.srsCandidates)[0]?.srs, null)
    const spec = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:25833'] }
    assert.equal((await client.call('POST', `/${id}/tasks/0/transforms`, spec)).status, 201)
    assert.equal((await taskOf(client, id)).state, 'READY')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const done = await taskOf(client, id)
    assert.deepEqual([done.state, done.layer?.srs], ['COMPLETE', 'EPSG:25833'], JSON.stringify(done))
  })
})
