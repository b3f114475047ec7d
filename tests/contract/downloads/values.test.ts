import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { readTimeQuery } from '../../../src/api/ogcapi/items-query.ts'
import { parseTimeParameter } from '../../../src/api/rest/monitoring/time-parameter.ts'
import type { LayerRecord } from '../../../src/catalog/records.ts'
import { defined } from '../../../src/core/values/defined.ts'
import { csv } from '../../../src/formats/csv/csv.ts'
import { flatgeobuf } from '../../../src/formats/flatgeobuf/flatgeobuf.ts'
import type { Format } from '../../../src/formats/format.ts'
import { appendDumpValue } from '../../../src/formats/gdal/dump-values.ts'
import { geopackage } from '../../../src/formats/geopackage/geopackage.ts'
import { gpx } from '../../../src/formats/gpx/gpx.ts'
import { kml } from '../../../src/formats/kml/kml.ts'
import { dbase } from '../../../src/formats/shapefile/dbase.ts'
import { columnValue } from '../../../src/geo/column.ts'
import { createColumnBuilder } from '../../../src/geo/column-builder.ts'
import type { AttributeType } from '../../../src/geo/schema.ts'
import { parseMonitorTime } from '../../../src/monitoring/collect/geoserver/request-data.ts'
import { convertColumn } from '../../../src/stores/convert-column.ts'
import { property, writeFlatGeobuf } from '../../support/flatgeobuf-writer.ts'
import { testFolder } from '../../support/gdal-files.ts'
import { readLayer } from '../../support/read-layer.ts'
import { writeShapefile } from '../../support/shapefile-writer.ts'
import type { Cell } from '../../support/table-batches.ts'
import { runBatch, tableBatch, tableRows, tableSchema } from '../../support/table-batches.ts'
import { gpxText, kmlPoint, kmlText, placemark } from '../../support/xml-text.ts'

/**
 * Reads one text. Returns the value in the reader's form, or undefined if the row is rejected or the text
 * refused.
 */
type Read = (text: string, folder: string) => Promise<Cell | undefined>

interface Readers {
  /** Columns of the table, in order. */
  names: Record<string, Read>
  texts: readonly string[]
  /** Returns true if the value is of the type of the table and is not text. */
  isTaken(value: Cell): boolean
}

const temporal: readonly AttributeType[] = ['date', 'timestamp']

/**
 * Returns the value of the field `t` in the only row of a file, as text if the field is neither of times nor
 * of numbers.
 */
async function valueIn(
  format: Format,
  path: string,
  content: string | Uint8Array,
): Promise<Cell | undefined> {
  writeFileSync(path, content)
  const { layer, rows } = await readLayer(format, path)
  const at = layer.schema.attributes.findIndex(({ name }) => ['t', 'time'].includes(name))
  const value = rows[0]?.values[at]
  const type = layer.schema.attributes[at]?.type
  if (type === 'date' && typeof value === 'number') return BigInt(value) * microsPerDay
  return format === gpx && type !== undefined && !temporal.includes(type) ? String(value) : value
}

async function inGeoPackage(text: string, folder: string): Promise<Cell | undefined> {
  const path = join(folder, `${Math.random()}.gpkg`)
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA application_id = ${0x47504b47};
    CREATE TABLE gpkg_spatial_ref_sys (srs_name, srs_id INTEGER PRIMARY KEY, organization, organization_coordsys_id, definition);
    CREATE TABLE gpkg_contents (table_name, data_type, identifier, description, last_change, min_x, min_y, max_x, max_y, srs_id);
    INSERT INTO gpkg_contents (table_name, data_type) VALUES ('x', 'attributes');
    CREATE TABLE x (id INTEGER PRIMARY KEY, t DATETIME)`)
  db.prepare('INSERT INTO x VALUES (1, ?)').run(text)
  db.close()
  const { rows } = await readLayer(geopackage, path)
  return rows[0]?.values.at(-1)
}

function inFlatGeobuf(text: string, folder: string): Promise<Cell | undefined> {
  const columns = [{ name: 't', type: 'DateTime' as const }]
  const features = [{ geometry: { type: 1, xy: [1, 2] }, properties: [property(0, text)] }]
  return valueIn(flatgeobuf, join(folder, 'x.fgb'), writeFlatGeobuf({ columns, features }))
}

/** Reads a KML field of a declared type; values that do not fit turn the whole field into text. */
function inKml(type: string): Read {
  return (text, folder) => {
    const schema = `<Schema id="s"><SimpleField name="t" type="${type}"/></Schema>`
    const data = `<ExtendedData><SchemaData schemaUrl="#s"><SimpleData name="t">${text}</SimpleData></SchemaData></ExtendedData>`
    const content = kmlText(schema, placemark(data, kmlPoint('1,2')))
    return valueIn(kml, join(folder, 'x.kml'), content)
  }
}

function inDbase(field: { type: string; width: number; decimals?: number }): Read {
  return async (text, folder) => {
    const rows = [{ shape: null, values: [Buffer.from(text.padEnd(field.width), 'latin1')] }]
    writeShapefile(join(folder, 'd.shp'), { shapeType: 1, fields: [{ name: 'T', ...field }], rows })
    if (text.length > field.width) return undefined
    const file = { path: join(folder, 'd.dbf'), sidecars: {} }
    const context = { signal: new AbortController().signal }
    const [layer] = await dbase.describe(file, context)
    assert.ok(layer)
    for await (const batch of dbase.read(file, layer, context)) return tableRows(batch)[0]?.[0]
    return undefined
  }
}

function inDump(type: AttributeType): Read {
  return async (text) => {
    const builder = createColumnBuilder(type, 1)
    const bytes = Buffer.from(text)
    return appendDumpValue(builder, bytes, 0, bytes.length) ? columnValue(builder.finish(), 0) : undefined
  }
}

function bySpec(type: string, target?: string): Read {
  return async (text) => {
    const batch = tableBatch(tableSchema({ t: 'text' }), [[text]])
    const spec = { type, field: 't', ...defined({ target }) }
    return tableRows((await runBatch(batch, [spec])).batch)[0]?.[0]
  }
}

function byAppending(type: AttributeType): Read {
  return async (text) => {
    const [column] = tableBatch(tableSchema({ t: 'text' }), [[text]]).columns
    assert.ok(column)
    return columnValue(
      convertColumn(column, 1, { name: 't', type }, () => undefined),
      0,
    ) as Cell
  }
}

const timedLayer = {
  details: { schema: { attributes: [{ name: 't', type: 'timestamp' }], geometry: undefined } },
} as unknown as LayerRecord

async function inOgc(text: string): Promise<Cell | undefined> {
  try {
    const { from } = readTimeQuery(timedLayer, text) ?? {}
    return from === undefined ? undefined : BigInt(Date.parse(from)) * 1000n
  } catch {
    return undefined
  }
}

const microsPerDay = 86_400_000_000n
const micros = (milliseconds: number | undefined): Cell | undefined =>
  milliseconds === undefined || Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 1000n

const times: Readers = {
  names: {
    CSV: (text, folder) => valueIn(csv, join(folder, 'x.csv'), `t;u;v\n${text};1;x\n`),
    GPX: (text, folder) =>
      valueIn(gpx, join(folder, 'x.gpx'), gpxText(`<wpt lat="1" lon="2"><time>${text}</time></wpt>`)),
    FlatGeobuf: inFlatGeobuf,
    GeoPackage: inGeoPackage,
    GDAL: inDump('timestamp'),
    transformation: bySpec('AttributeRemapTransform', 'java.sql.Timestamp'),
    append: byAppending('timestamp'),
    OGC: inOgc,
    monitoring: async (text) => micros(parseTimeParameter(text, 'contract')),
    GeoServer: async (text) => micros(parseMonitorTime(text)),
  },
  texts: [
    '2024-02-29',
    '2024-02-30',
    '2024-02',
    '2024',
    '20240229',
    '20240229T123059Z',
    '0000-01-01T00:00:00Z',

    '2024-02-29T12',
    '2024-02-29T12:30',
    '2024-02-29T12:30:59',
    '2024-02-29 12:30:59',
    '2024-02-29T12:30:59Z',

    '2024-02-29t12:30:59z',
    '2024-02-29T12:30:59.5Z',
    '2024-02-29T12:30:59,5Z',
    '2024-02-29T12:30:59.123456789Z',

    '2024-02-29T12:30:59+05:30',
    '2024-02-29T12:30:59+0530',
    '2024-02-29T12:30:59+05',
    '2024-02-29T12:30:59+19:00',
    '2024-02-29T12:30:59+99:00',
    '2024-02-29T12:30:59 05:30',
    '2024-02-29 12:30:59 UTC',
    '2024-02-29T23:59:60Z',
    '2024-02-29T24:00:00Z',
    '2024-02-29T24:00:01Z',
  ],
  isTaken: (value) => typeof value === 'bigint',
}

const numbers: Readers = {
  names: {
    CSV: (text, folder) => valueIn(csv, join(folder, 'x.csv'), `t;u;v\n${text};1;x\n`),
    KML: inKml('double'),
    dBASE: inDbase({ type: 'N', width: 24, decimals: 3 }),
    GDAL: inDump('float64'),
    transformation: bySpec('AttributeRemapTransform', 'java.lang.Double'),
    append: byAppending('float64'),
  },
  texts: [
    '1',
    '-1',
    '+1',
    '01',
    '1.',
    '.5',
    '1.5',
    '-0',
    '1e5',
    '1E+5',
    '1.5e-3',
    '1e400',
    'e5',
    '1,5',
    '0x1F',
    ' 1',
    '12345678901234567890',
    '0.1234567890123456789',
    'inf',
    '-Infinity',
    'nan',
    '1.#INF',
  ],
  isTaken: (value) => typeof value === 'bigint' || typeof value === 'number',
}

/** A number by which values of several readers are compared: that itself, or milliseconds since 1970. */
const comparable = (value: Cell): number =>
  typeof value === 'bigint' ? Number(value / 1000n) : Number(value)

function cellOf(value: Cell | undefined, { isTaken }: Readers): string {
  if (value === undefined || value === null) return '-'
  return isTaken(value) ? 'yes' : 'text'
}

/** The table of readers and texts; asserts that those that take a text agree on what it means. */
async function tableOf(readers: Readers, folder: string): Promise<string> {
  const names = Object.keys(readers.names)
  const lines = [`| text | ${names.join(' | ')} |`, `|---|${'---|'.repeat(names.length)}`]
  for (const text of readers.texts) {
    const values: (Cell | undefined)[] = []
    for (const read of Object.values(readers.names)) values.push(await read(text, folder))
    const cells = values.map((value) => cellOf(value, readers))
    const meanings = new Set(
      values.flatMap((value, at) => (cells[at] === 'yes' ? [comparable(value ?? null)] : [])),
    )
    assert.ok(meanings.size <= 1, `${text} means ${[...meanings].join(' and ')}`)
    lines.push(`| \`${text}\` | ${cells.join(' | ')} |`)
  }
  return lines.join('\n')
}

describe('the page of values', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/values.md'), 'utf8')

  async function check(test: TestContext, readers: Readers): Promise<void> {
    const table = await tableOf(readers, await testFolder(test))
    assert.ok(page.includes(table), `docs/values.md has another table than the readers make:\n${table}`)
  }

  it('tells what each reader takes for a time', (test) => check(test, times))

  it('tells what each reader takes for a number', (test) => check(test, numbers))
})
