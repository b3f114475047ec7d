import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { findCrs } from '../../../src/geo/crs-database.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import type { GdalLayer } from '../../support/gdal-reference.ts'
import { hasGdalBindings, readByGdal } from '../../support/gdal-reference.ts'
import { startMapServer } from '../../support/map-server.ts'
import { differencesOf } from '../../support/services/compare-rows.ts'
import { type EsriShape, esriTables } from '../../support/services/esri-table.ts'
import { mapFileOf, serviceTables, writeServiceData } from '../../support/services/service-data.ts'
import { readServiceTable } from '../../support/services/service-tables.ts'
import { SourceClient } from '../../support/sources/source-client.ts'
import { startWebServer } from '../../support/web-server.ts'

const rows = 30
const options = { skip: !(await hasGdalBindings()) }
let folder: string
let data: string
let app: TestApp
let own: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'terrane-services-'))
  data = await writeServiceData(folder, rows)
  app = await createTestApp({ env: { TERRANE_IMPORT_ROOTS: folder } })
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.app.server.address()
  own = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const client = new SourceClient(app)
  await client.create({ name: 'all', data: { type: 'file', file: 'data.gpkg' } })
  const run = await client.run('all')
  assert.equal(run.outcome, 'loaded', run.message ?? '')
  for (const { name } of serviceTables)
    await client.request('PUT', `/rest/layers/${name}`, { payload: { layer: { public: true } } })
})

after(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Layers of a service as GDAL reads them, by name without prefix. */
async function layersOfGdal(path: string, driver: string, config: Record<string, string> = {}) {
  const [file] = await readByGdal([{ name: driver, path, driver }], { [driver]: config })
  assert.equal(file?.error, undefined, file?.error)
  return new Map(file?.layers.map((layer): [string, GdalLayer] => [layer.name.replace(/^.*:/, ''), layer]))
}

/** Compares all tables of a WFS or an OGC API. */
async function compareAll(
  test: TestContext,
  service: { kind: 'wfs' | 'ogcapi-features'; location: string; prefix: string },
  found: Map<string, GdalLayer>,
  comparison: Omit<Parameters<typeof differencesOf>[2], 'key'> & { isYx?: boolean } = {},
): Promise<void> {
  for (const { name, srs } of serviceTables) {
    const { kind, location, prefix } = service
    const table = await readServiceTable(test, { kind, location, layer: `${prefix}${name}` })
    const expected = kind === 'wfs' || isXy(srs) ? srs : 'EPSG:4326'
    assert.equal(table.layer.schema.geometry?.crs?.srs, expected, name)
    assert.equal(table.batches.flatMap(({ rejects }) => rejects).length, 0)
    const layer = found.get(name)
    assert.ok(layer !== undefined, name)
    assert.deepEqual(differencesOf(layer, table, { key: 'row_no', ...comparison }), [], name)
  }
}

/** Attributes of the id of features, which one of both readers has. */
const ids = {
  id: 'of the service',
  gml_id: 'of the service',
  ogc_fid: 'of the service',
  fid: 'of the service',
}

function isXy(srs: string): boolean {
  return findCrs(srs)?.axisOrder === 'xy'
}

/** Replaces the geometries of a layer by those of another one with the same rows. */
function takeGeometries(layer: GdalLayer | undefined, from: GdalLayer | undefined): void {
  const numberOf = ({ fields }: GdalLayer) => fields.findIndex(({ name }) => name === 'row_no')
  assert.ok(layer !== undefined && from !== undefined)
  const geometries = new Map(from.rows.map((row) => [row.values[numberOf(from)], row.geometry]))
  for (const row of layer.rows) row.geometry = geometries.get(row.values[numberOf(layer)] ?? null) ?? null
}

/** Writes milliseconds, as which GDAL reads the dates of ArcGIS, as Terrane does. */
function datesOf({ fields, rows: found }: GdalLayer, names: readonly string[]): void {
  for (const name of names) {
    const index = fields.findIndex((field) => field.name === name)
    for (const { values } of found) {
      const value = values[index]
      if (typeof value === 'string') values[index] = new Date(Number(value)).toISOString()
    }
  }
}

describe('GDAL and the readers of services', options, () => {
  it('read the same from WFS 2.0 and 1.1 of MapServer', async (test) => {
    const server = await startMapServer(test)
    const location = `${server.url}/ows?map=${server.maps}/services.map`
    writeFileSync(join(server.maps, 'services.map'), mapFileOf(data, `${location}&`))
    const service = { kind: 'wfs', prefix: '' } as const
    const v2 = await layersOfGdal(`WFS:${location}&version=2.0.0`, 'WFS')
    await compareAll(test, { ...service, location }, v2, {
      renamed: { day: 'timePosition', moment: 'moment|timePosition' },
      meant: { nothing: 'GDAL does not read the types of the schema, and so no attribute without values' },
    })
    // GDAL takes EPSG:4326 for x, y: MapServer sends y, x.
    const v1 = await layersOfGdal(`WFS:${location}&version=1.1.0`, 'WFS', { GML_CONSIDER_EPSG_AS_URN: 'YES' })
    await compareAll(test, { ...service, location: `${location}&version=1.1.0` }, v1)
  })

  for (const version of ['2.0.0', '1.1.0'])
    it(`read the same from WFS ${version} of Terrane`, async (test) => {
      const location = `${own}/wfs?version=${version}`
      const found = await layersOfGdal(`WFS:${location}`, 'WFS')
      await compareAll(test, { kind: 'wfs', location, prefix: 'default:' }, found)
    })

  it('read the same from OGC API Features of Terrane', async (test) => {
    const found = await layersOfGdal(`OAPIF:${own}/ogc`, 'OAPIF')
    // GDAL reads longitude and latitude, Terrane the stored coordinates if their CRS has x first.
    const stored = await layersOfGdal(data, 'GPKG')
    for (const { name, srs } of serviceTables)
      if (isXy(srs)) takeGeometries(found.get(name), stored.get(name))
    const location = `${own}/ogc`
    await compareAll(test, { kind: 'ogcapi-features', location, prefix: 'default:' }, found, { meant: ids })
  })

  it('read the same from an ArcGIS feature service', async (test) => {
    const shapes: EsriShape[] = [
      'esriGeometryPoint',
      'esriGeometryMultipoint',
      'esriGeometryPolyline',
      'esriGeometryPolygon',
    ]
    const layers = [
      ...shapes.map((shape) => ({ shape, hasZ: false })),
      { shape: 'esriGeometryPoint' as const, hasZ: true },
    ]
    const base = await startWebServer(test, esriTables(layers, rows).listener)
    const location = `${base}/rest/services/all/FeatureServer`
    for (const id of layers.keys()) {
      const query = `${location}/${id}/query?where=1%3D1&outFields=*&resultRecordCount=10&f=json`
      const [layer] = (await layersOfGdal(`ESRIJSON:${query}`, 'ESRIJSON')).values()
      assert.ok(layer !== undefined)
      datesOf(layer, ['planted', 'edited_at'])
      const table = await readServiceTable(test, {
        kind: 'arcgis-featureserver',
        location,
        layer: String(id),
      })
      const meant = { kind_label: 'GDAL does not read the labels of coded values' }
      assert.deepEqual(differencesOf(layer, table, { key: 'OBJECTID', meant }), [], String(id))
    }
  })
})
