import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Row, Value } from '../../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../../tests/support/batches.ts'
import type { GdalLayer, GdalValue } from '../../../../tests/support/gdal-reference.ts'
import { hasGdalBindings, readByGdal } from '../../../../tests/support/gdal-reference.ts'
import {
  aboutLayer,
  everyType,
  geometriesOf,
  writtenDocument,
} from '../../../../tests/support/written-layers.ts'
import type { AttributeType, GeometryField } from '../../../geo/schema.ts'
import { geometryTypes } from '../../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../../geo/time-text.ts'
import type { WrittenAbout } from '../feature-format.ts'
import { gmlFormat } from './gml-format.ts'
import { gmlSchema } from './gml-schema.ts'
import { xmlName } from './xml-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'terrane-gml-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** Writes a document with its schema next to it. */
async function keep(about: WrittenAbout, rows: Row[]): Promise<string> {
  files += 1
  const path = join(folder, `things${files}.gml`)
  const { name, collection: namespace, schema } = about
  writeFileSync(path, await writtenDocument(gmlFormat, about, rows))
  writeFileSync(path.replace(/gml$/, 'xsd'), gmlSchema({ name, namespace, schema }))
  return path
}

/** Returns documents as read by GDAL. */
async function reported(paths: string[]): Promise<GdalLayer[]> {
  const read = await readByGdal(
    paths.map((path) => ({ name: path, path, driver: 'GML' })),
    {},
  )
  return read.map(({ error, layers: [layer] }) => {
    assert.equal(error, undefined)
    assert.ok(layer)
    return layer
  })
}

function reportOf(row: GdalLayer['rows'][number] | undefined, fields: GdalLayer['fields'], name: string) {
  return row?.values[fields.findIndex((field) => field.name === name)] ?? null
}

/** Normalizes a value from GDAL or from our reader. */
function toForm(value: GdalValue, type: AttributeType): unknown {
  if (value === null) return null
  if (type === 'boolean') return value === '1'
  return type === 'text' ? String(value).trim() : /^(float|decimal)/.test(type) ? Number(value) : value
}

function formOf(value: Value, type: AttributeType): unknown {
  // GDAL reads an empty element as null by default.
  if (value === null || value === '') return null
  if (type === 'date') return dateText(value as number)
  if (type === 'time') return timeText(value as bigint)
  if (type === 'timestamp') return timestampText(value as bigint)
  if (type === 'binary') return Buffer.from(value as Uint8Array).toString('base64') || null
  if (type === 'boolean') return value
  // Also without leading and trailing blanks.
  if (type === 'text') return String(value).trim()
  return /^(float|decimal)/.test(type) ? Number(value) : String(value)
}

/** An empty geometry has no dimensions in GML. */
function geometryForm(hex: string | null): string {
  if (hex === null) return 'none'
  const bytes = Buffer.from(hex, 'hex')
  const type = bytes.readUInt32LE(1) % 1000
  const isEmpty = type === 1 ? Number.isNaN(bytes.readDoubleLE(5)) : bytes.readUInt32LE(5) === 0
  return isEmpty ? `empty ${type}` : hex
}

/** Returns its coordinates with the precision with which GDAL reads GML: without the last bit. */
function pointOf(hex: string | null | undefined): string[] | undefined {
  if (hex == null) return undefined
  const bytes = Buffer.from(hex, 'hex')
  return [5, 13].map((at) => bytes.readDoubleLE(at).toPrecision(15))
}

const fieldOf = (type: GeometryField['type'], dimensions: string): GeometryField => ({
  name: 'geom',
  type,
  hasZ: dimensions.includes('z'),
  hasM: false,
  crs: { srs: 'EPSG:4326' },
})

describe('features written as GML', () => {
  let hasGdal = false
  before(async () => {
    hasGdal = await hasGdalBindings()
  })

  it('are read by GDAL, value by value', async () => {
    if (!hasGdal) return
    const { schema, rows } = everyType('Point')
    const [layer] = await reported([await keep(aboutLayer(schema), rows)])
    const { fields, rows: read } = layer ?? { fields: [], rows: [] }
    assert.equal(read.length, rows.length)
    for (const [at, { values, geometry }] of rows.entries()) {
      const found = read[at]
      assert.deepEqual(pointOf(found?.geometry), pointOf(geometry && Buffer.from(geometry).toString('hex')))
      assert.equal(reportOf(found, fields, 'gml_id'), `things.${at + 1}`)
      for (const [column, { name, type }] of schema.attributes.entries()) {
        const value = reportOf(found, fields, name.replaceAll(' ', '_x0020_'))
        assert.equal(toForm(value, type), formOf(values[column] ?? null, type), `${name} of row ${at + 1}`)
      }
    }
  })

  it('have texts that are the same to every reader of XML', async () => {
    const { schema, rows } = everyType('Point')
    const text = Buffer.from(await writtenDocument(gmlFormat, aboutLayer(schema), rows)).toString('utf8')
    // XML readers normalize line ends to one character; character references are preserved (XML 1.0, section
    // 2.11).
    const members = text.replace(/\r\n?/g, '\n').split('<sf:featureMember>').slice(1)
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', '#13': '\r' }
    const read = members.map((member) => {
      const [, content] = /<a:a_x0020_text>([^<]*)</.exec(member) ?? []
      return content?.replace(/&([^;]*);/g, (_, name: string) => entities[name] ?? '?') ?? null
    })
    const place = schema.attributes.findIndex(({ type }) => type === 'text')
    assert.deepEqual(
      read,
      rows.map(({ values }) => values[place]),
    )
  })

  it('have geometries of every type, with heights, empty, and in the axes of their CRS', async () => {
    if (!hasGdal) return
    const systems = [
      undefined,
      { uri: 'http://www.opengis.net/def/crs/EPSG/0/4326', srs: 'EPSG:4326', isYx: true },
      { uri: 'http://www.opengis.net/def/crs/EPSG/0/25832', srs: 'EPSG:25832', isYx: false },
    ]
    const written: { path: string; name: string; geometries: Uint8Array[] }[] = []
    for (const crs of systems)
      for (const dimensions of ['xy', 'xyz'])
        for (const type of geometryTypes.filter((one) => one !== 'Geometry')) {
          const geometries = geometriesOf(type, dimensions)
          const schema = schemaOf({ name: 'text' }, fieldOf(type, dimensions))
          const about = aboutLayer(schema, crs === undefined ? {} : { crs })
          const rows = geometries.map((geometry) => ({ geometry, values: ['a'] }))
          written.push({
            path: await keep(about, rows),
            name: `${type} ${dimensions} ${crs?.srs}`,
            geometries,
          })
        }
    const layers = await reported(written.map(({ path }) => path))
    for (const [at, { name, geometries }] of written.entries())
      assert.deepEqual(
        layers[at]?.rows.map(({ geometry }) => geometryForm(geometry)),
        geometries.map((one) => geometryForm(Buffer.from(one).toString('hex'))),
        name,
      )
  })

  it('have names that are names in XML, each its own', async () => {
    const names = [
      'a b',
      'a_x0020_b',
      '1',
      '',
      'ä',
      'a:b',
      'a<b',
      '日本',
      '🎉',
      '-',
      'a-b',
      'xml',
      '\u0001',
      '_x',
      'é'.normalize('NFD'),
    ]
    const written = names.map((name) => xmlName(name))
    assert.equal(new Set(written).size, names.length)
    for (const name of written) assert.match(name, /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*$/u)
    assert.deepEqual(written.slice(0, 4), ['a_x0020_b', 'a_x005F_x0020_b', '_x0031_', '_x0000_'])
    assert.equal(xmlName('🎉'), '_x01F389_')
  })

  it('have in place of what XML cannot hold U+FFFD, and years and decimals as XML wants them', async () => {
    const schema = schemaOf({ text: 'text', day: 'date', number: 'decimal', real: 'float64' })
    const rows = [
      { values: ['a\u0000b\u0007\ufffe', 2_932_897, '1.5e3', Number.NaN] },
      { values: ['<\r>', -719_893, '-12e-3', -Infinity] },
      { values: [null, null, 'NaN', null] },
    ]
    const text = Buffer.from(await writtenDocument(gmlFormat, aboutLayer(schema), rows)).toString('utf8')
    const members = [...text.matchAll(/gml:id="things\.\d"[^>]*>(.*?)<\/a:things>/g)].map(
      ([, inner]) => inner,
    )
    assert.deepEqual(members, [
      '<a:text>a\ufffdb\ufffd\ufffd</a:text><a:day>10000-01-01</a:day><a:number>1500</a:number><a:real>NaN</a:real>',
      '<a:text>&lt;&#13;&gt;</a:text><a:day>-0001-01-01</a:day><a:number>-0.012</a:number><a:real>-INF</a:real>',
      '',
    ])
  })

  it('are one root element where one is asked for', async () => {
    const schema = schemaOf({ name: 'text' }, 'Point')
    const rows = [{ geometry: wkb('Point', [1, 2]), values: ['a'] }]
    const text = Buffer.from(
      await writtenDocument(gmlFormat, aboutLayer(schema, { isSingle: true }), rows),
    ).toString('utf8')
    assert.match(
      text,
      /^<\?xml [^>]*>\n<a:things [^>]*xsi:schemaLocation="[^"]*schema\?f=gml"[^>]*>.*<\/a:things>\n$/s,
    )
  })
})
