import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { rowsOf } from '../../../tests/support/batches.ts'
import { dataFile, readContext } from '../../../tests/support/read-layer.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { findProgram, runProgram } from '../../core/process/process.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import type { Format } from '../format.ts'
import { gpx } from '../gpx/gpx.ts'
import { kml } from './kml.ts'

const needsGdal = { skip: (await findProgram('ogr2ogr')) === undefined }
const fixtures = join(import.meta.dirname, '../../../tests/fixtures')

interface Feature {
  properties: Record<string, unknown>
  geometry: unknown
}

/** Formats coordinates with 12 digits. */
function rounded(geometry: unknown): string {
  return JSON.stringify(geometry, (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  )
}

/** Returns the features that GDAL reads, with layer names or other options. */
async function readByGdal(path: string, ...more: string[]): Promise<Feature[]> {
  const options = ['--config', 'GPX_ELE_AS_25D', 'YES', '-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15']
  const { stdout } = await runProgram('ogr2ogr', [...options, '/vsistdout/', path, ...more])
  return (JSON.parse(stdout.toString()) as { features: Feature[] }).features
}

async function layersByGdal(path: string): Promise<[string, number][]> {
  const { stdout } = await runProgram('ogrinfo', ['-ro', '-so', '-al', path])
  return [...stdout.toString().matchAll(/^Layer name: (.*)$[\s\S]*?^Feature Count: (\d+)$/gm)].map(
    ([, name, count]) => [name ?? '', Number(count)],
  )
}

async function readByUs(format: Format, path: string, index = 0): Promise<Feature[]> {
  const layer = (await format.describe(dataFile(path), readContext()))[index]
  assert.ok(layer !== undefined)
  const features: Feature[] = []
  for await (const batch of format.read(dataFile(path), layer, readContext())) {
    assert.equal(batch.rejects.length, 0)
    for (const { geometry, values } of rowsOf(batch)) {
      const named = layer.schema.attributes.map(({ name }, column) => [name, values[column]])
      features.push({
        properties: Object.fromEntries(named),
        geometry: geometry === null ? null : JSON.parse(writeGeometryJson(geometry)),
      })
    }
  }
  return features
}

const comparable = (features: Feature[], name: string): string[] =>
  features.map(({ properties, geometry }) => `${String(properties[name])} ${rounded(geometry)}`)

describe('KML and GPX beside GDAL', needsGdal, () => {
  it('have the same placemarks, folder by folder', async () => {
    const path = join(fixtures, 'kml/KML_Samples.kml')
    const ours = await readByUs(kml, path)
    let compared = 0
    for (const [folder, count] of await layersByGdal(path)) {
      const own = ours.filter(
        ({ properties }) => String(properties['Folder']).split(' -> ').at(-1) === folder,
      )
      // GDAL creates a polygon from a ground overlay.
      if (folder === 'Ground Overlays') continue
      assert.equal(own.length, count, folder)
      if (count === 0) continue
      assert.deepEqual(comparable(own, 'Name'), comparable(await readByGdal(path, folder), 'Name'), folder)
      compared += count
    }
    assert.equal(compared, ours.length)
  })

  it('have the same layers and geometries of routes', async () => {
    const path = join(fixtures, 'gpx/trek.gpx')
    const layers = await gpx.describe(dataFile(path), readContext())
    assert.deepEqual(
      layers.map(({ name, featureCount }) => [name, featureCount]),
      (await layersByGdal(path)).filter(([, count]) => count > 0),
    )
    for (const [index, { name }] of layers.entries()) {
      const column = name === 'routes' ? 'name' : 'route_point_id'
      assert.deepEqual(
        comparable(await readByUs(gpx, path, index), column),
        comparable(await readByGdal(path, name), column),
      )
    }
  })

  for (const driver of ['KML', 'LIBKML']) {
    it(`have the same features in a file that GDAL's ${driver} driver wrote`, async (test) => {
      const path = join(temporaryFolder(test), 'written.kml')
      await runProgram('ogr2ogr', ['-f', driver, path, join(fixtures, 'flatgeobuf/countries.fgb')])
      const ours = await readByUs(kml, path)
      assert.equal(ours.length, 179)
      assert.deepEqual(
        comparable(ours, 'Name'),
        comparable(await readByGdal(path, '-nlt', 'PROMOTE_TO_MULTI'), 'Name'),
      )
    })
  }
})
