import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gdalDrivers } from '../../../src/formats/gdal/gdal-drivers.ts'
import { geoPackage } from '../../../src/stores/geopackage/description.ts'
import type { StoreUnderTest } from '../../contract/store-session.ts'
import { loadRows, readRows } from '../../contract/store-session.ts'
import type { GdalTable } from '../../support/gdal-files.ts'
import { readTables } from '../../support/gdal-files.ts'
import type { GdalFile, GdalLayer } from '../../support/gdal-reference.ts'
import { hasGdalBindings, readByGdal, writtenByGdal } from '../../support/gdal-reference.ts'
import type { Agreement } from '../../support/gdal-values.ts'
import { heldForm, reportedForm } from '../../support/gdal-values.ts'
import { makePostgisStore } from '../../support/postgis-store.ts'
import { writeReadOnlyFormats } from '../../support/read-only-formats.ts'
import { startFile } from '../../support/store-starts.ts'
import type { Cell } from '../../support/table-batches.ts'

const config = Object.fromEntries(
  gdalDrivers.flatMap((driver) => driver.drivers.map((name) => [name, driver.config ?? {}])),
)
/** GDAL's own text of numbers, by which its drivers are read, has 15 digits. */
const gdalDigits = 15
/** Intended differences from GDAL, by file and field. */
const meant: Record<string, { fields: readonly string[]; because: string }> = {
  GeoJSON: { fields: ['moment'], because: 'GeoJSON has no times: a text stays as it is written' },
  CSV: { fields: ['WKT'], because: 'the column is the geometry' },
  LIBKML: { fields: ['odd'], because: 'what is not an xs:double is text, with a message' },
}
/** Fields without a counterpart in GDAL, and fields of GDAL that never hold a value. */
const ownFields: Record<string, readonly string[]> = { LIBKML: ['Folder', 'placemarkId'] }

function agreementOf({ driver }: GdalFile): Agreement {
  return driver in config ? { digits: gdalDigits } : {}
}

/** An empty cell of a CSV is null where GDAL has an empty text; GDAL takes blanks before a text of a .dbf away. */
function isMeant(file: GdalFile, field: string, reported: string, held: string): boolean {
  if (file.name === 'CSV' && reported === '' && held === 'null') return true
  if (file.name === 'Shapefile' && held.trimStart() === reported) return true
  return meant[file.name]?.fields.includes(field) === true
}

/** `row field: GDAL's value, ours` of every value that differs. */
function differences(file: GdalFile, layer: GdalLayer, table: GdalTable): string[] {
  const agreement = agreementOf(file)
  const rowNumbers = table.batches.flatMap((batch) => [...batch.rowNumbers])
  const found: string[] = []
  for (const [at, { name, type }] of table.layer.schema.attributes.entries()) {
    const index = layer.fields.findIndex((field) => field.name === name)
    const field = layer.fields[index]
    if (field === undefined) {
      const isKey = name === layer.key || ownFields[file.name]?.includes(name) === true
      if (!isKey) found.push(`${name}: GDAL has no such field`)
      continue
    }
    for (const [row, cells] of table.rows.entries()) {
      const reported = layer.rows[(rowNumbers[row] ?? 0) - 1]?.values[index] ?? null
      const expected = reportedForm(reported, field.type, type, agreement)
      const held = heldForm(cells[at] as Cell, type, field.type, agreement)
      if (held !== expected && !isMeant(file, name, expected, held)) {
        found.push(`${row + 1} ${name} (${field.type}, ${type}): ${expected}, ${held}`.slice(0, 300))
      }
    }
  }
  return found
}

/** Returns the hexadecimal WKB of every row, as GDAL reports it and as this program reads it. */
function geometries(layer: GdalLayer, table: GdalTable): [(string | null)[], (string | null)[]] {
  const reported = layer.rows.map(({ geometry }) => geometry)
  const held = table.batches.flatMap(({ geometry, rowCount }) =>
    Array.from({ length: rowCount }, (_, row) => {
      const start = geometry?.offsets[row] ?? 0
      const end = geometry?.offsets[row + 1] ?? 0
      return start === end ? null : Buffer.from(geometry?.bytes.subarray(start, end) ?? []).toString('hex')
    }),
  )
  return [reported, held]
}

/** Returns the form in which a store returns a value written to it; a GeoPackage has no NaN. */
function keptForm(value: Cell, type: string, store: StoreUnderTest): string {
  if (Number.isNaN(value) && store.store.type === 'GeoPackage') return 'null'
  return value === null || typeof value === 'string' ? String(value) : heldForm(value, type, '', {})
}

async function compareStore(made: StoreUnderTest, table: GdalTable, name: string): Promise<void> {
  const { schema } = table.layer
  async function* batches() {
    yield* table.batches
  }
  const crs = schema.geometry?.crs ?? { srs: 'EPSG:4326' }
  const placed = schema.geometry === undefined ? schema : { ...schema, geometry: { ...schema.geometry, crs } }
  const { result, rejects, messages } = await loadRows(made.store, {
    schema: placed,
    table: name,
    batches: batches(),
  })
  assert.deepEqual(rejects, [])
  const hasNaN = made.store.type === 'GeoPackage' && table.rows.some((row) => row.some(Number.isNaN))
  assert.equal(
    messages.some(({ code }) => code === 'nan-is-null'),
    hasNaN,
  )
  assert.equal(result.rowsLoaded, table.rows.length)
  const kept = (await made.store.findTable(name))?.schema
  const columns = schema.attributes.map((attribute) => result.renamed[attribute.name] ?? attribute.name)
  const places = columns.map((column) => kept?.attributes.findIndex((each) => each.name === column) ?? -1)
  const rows = await readRows(made.store, { table: name })
  for (const [row, cells] of table.rows.entries()) {
    for (const [at, { name: field, type, isIdentity }] of schema.attributes.entries()) {
      const place = places[at] ?? -1
      // The ids of the rows, in a store whose key has that name.
      if (isIdentity === true && place < 0) continue
      const expected = keptForm(cells[at] as Cell, type, made)
      const found = keptForm(rows[row]?.values[place] as Cell, kept?.attributes[place]?.type ?? '', made)
      assert.equal(found, expected, `row ${row + 1}, ${field}`)
    }
  }
}

/**
 * Writes GeoJSON with 1,500 columns, as many as a row of PostgreSQL can have; every fifth has numbers that
 * are not finite.
 */
async function writeWideGeoJson(folder: string): Promise<{ name: string; path: string; driver: string }> {
  const words = ['NaN', 'Infinity', '-Infinity', 'null', '1.5']
  const features = [0, 1, 2, 3, 4].map((row) => {
    const members = Array.from({ length: 1500 }, (_, at) =>
      at % 5 === 0
        ? `"f${at}":${words[(row + at / 5) % 5]}`
        : `"i${at}":${row === 3 ? 'null' : row * 1500 + at}`,
    )
    const geometry = `{"type":"Point","coordinates":[${row},1]}`
    return `{"type":"Feature","geometry":${geometry},"properties":{${members.join(',')}}}`
  })
  const path = join(folder, 'wide.geojson')
  await writeFile(path, `{"type":"FeatureCollection","features":[${features.join(',\n')}]}`)
  return { name: 'WideGeoJSON', path, driver: 'GeoJSON' }
}

async function allFiles(folder: string): Promise<GdalFile[]> {
  const written = await writtenByGdal(folder, config)
  const others = [...(await writeReadOnlyFormats(folder)), await writeWideGeoJson(folder)]
  return [...written, ...(await readByGdal(others, config))]
}

const hasBindings = await hasGdalBindings()

describe('values of every type', {
  skip: hasBindings ? false : 'GDAL for Python is not installed',
}, async () => {
  const folder = hasBindings ? await mkdtemp(join(tmpdir(), 'terrane-test-')) : ''
  const files = hasBindings ? await allFiles(folder) : []
  const stores = { GeoPackage: startFile(geoPackage), PostGIS: await makePostgisStore() }
  after(async () => {
    for (const made of Object.values(stores)) {
      await made.store.close()
      await made.dispose()
    }
    await rm(folder, { recursive: true, force: true })
  })

  it('are written by every driver of GDAL that we read and that can write fields', () => {
    assert.deepEqual(
      files.filter(({ error }) => error !== undefined),
      [],
    )
    assert.ok(files.length >= 20, `${files.length} files`)
  })

  for (const file of files) {
    it(`of ${file.name} are those that GDAL tells, and stay so in both stores`, async () => {
      const tables = await readTables(file.path)
      assert.equal(tables.length, file.layers.length)
      for (const [index, table] of tables.entries()) {
        const layer = file.layers[index] as GdalLayer
        assert.deepEqual(
          table.batches.flatMap(({ rejects }) => rejects),
          [],
        )
        assert.equal(table.rows.length, layer.rows.length)
        assert.deepEqual(differences(file, layer, table), [])
        if (table.layer.schema.geometry !== undefined) assert.deepEqual(...geometries(layer, table))
        for (const made of Object.values(stores)) await compareStore(made, table, `${file.name} ${index}`)
      }
    })
  }
})
