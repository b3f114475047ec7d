import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { findProgram, runProgram } from '../../../src/core/process/process.ts'
import { convertedVector, convertVector } from '../../support/gdal-session.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, multipart, multipartType, readItems, startImporter } from '../../support/importer-client.ts'

const needsGdal = { skip: (await findProgram('ogr2ogr')) === undefined }
const states = 'tests/fixtures/shapefile/ne_110m_admin_1_states_provinces_shp.shp'
/** Rows of which `amount` is not a number. */
const wrong = ['Utah', 'Texas', 'Ohio']

/** Files of a source in one format, created by GDAL from the states of the USA. */
interface Source {
  driver: string
  file: string
  options?: string[]
  /** Has no geometry. */
  isTable?: true
  /** Is given in this format in its place. */
  instead?: string
}

const sources: Record<string, Source> = {
  Shapefile: { driver: 'ESRI Shapefile', file: 's.shp' },
  GeoPackage: { driver: 'GPKG', file: 's.gpkg' },
  FlatGeobuf: { driver: 'FlatGeobuf', file: 's.fgb', options: ['-nlt', 'PROMOTE_TO_MULTI'] },
  GeoJSON: { driver: 'GeoJSON', file: 's.geojson' },
  CSV: { driver: 'CSV', file: 's.csv', options: ['-lco', 'GEOMETRY=AS_WKT', '-lco', 'SEPARATOR=SEMICOLON'] },
  KML: { driver: 'LIBKML', file: 's.kml' },
  GML: { driver: 'GML', file: 's.gml' },
  'MapInfo File': { driver: 'MapInfo File', file: 's.tab' },
  'MS Office Open XML spreadsheet': { driver: 'XLSX', file: 's.xlsx', isTable: true },
  'SQLite / Spatialite': { driver: 'SQLite', file: 's.sqlite' },
  MapML: { driver: 'MapML', file: 's.mapml', instead: 'GeoJSON' },
}

function newFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-rejects-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const fields = `name, postal AS code, ('0' || name_len) AS part, (mapcolor9 / 8.0) AS place,
  CASE WHEN name IN ('${wrong.join("','")}') THEN 'n/a ' || postal ELSE '12' END AS amount`

/** Further values of each row: a date, a time, a number beyond 32 bits, multi-byte characters, null. */
const further = {
  day: '2024-02-29',
  at: '2024-02-29T12:34:56Z',
  big: '123456789012345',
  title: '東京 "x", y; ü',
  none: null,
}
const compared = ['code', 'part', 'amount', 'day', 'at', 'big', 'title']

/** Makes a source of a format; gives the names of its files. */
async function makeSource(
  folder: string,
  { driver, file, options = [], isTable }: Source,
): Promise<string[]> {
  const shape = isTable === true ? '' : ', geometry'
  const sql = `SELECT ${fields}${shape} FROM ne_110m_admin_1_states_provinces_shp`
  const made = ['-f', 'GeoJSON', '-dialect', 'SQLITE', '-sql', sql]
  const text = convertedVector(states, [...made, '-lco', 'COORDINATE_PRECISION=15']).replaceAll(
    '"properties": {',
    `"properties": {${JSON.stringify(further).slice(1, -1)},`,
  )
  const base = join(folder, '..', `${basename(folder)}.geojson`)
  writeFileSync(base, text.replaceAll('"big":"123456789012345"', '"big":123456789012345'))
  try {
    convertVector(base, join(folder, file), ['-f', driver, '-nln', 's', ...options])
  } finally {
    rmSync(base)
  }
  return readdirSync(folder)
}

/** Returns the main file of a zip, extracted next to it. */
async function unzipped(path: string): Promise<string> {
  const folder = `${path}.in`
  await runProgram('unzip', ['-q', '-o', path, '-d', folder])
  const [main = ''] = readdirSync(folder).filter((one) => /\.(shp|gml|tab|gdb)$/.test(one))
  return join(folder, main)
}

/** Rows of a file as GDAL reads them, by name. */
async function readByGdal(given: string): Promise<Map<string, Json>> {
  const path = given.endsWith('.zip') ? await unzipped(given) : given
  const open = /\.(csv|xlsx)$/.test(path)
    ? [path.endsWith('csv') ? 'GEOM_POSSIBLE_NAMES=WKT,geometry,geom' : 'HEADERS=FORCE']
    : []
  const text = convertedVector(path, ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15'], open)
  const { features } = JSON.parse(text) as { features: Json[] }
  return new Map(features.map((one) => [String(one.properties?.name ?? one.properties?.Name), one]))
}

async function imported(
  client: ImporterClient,
  folder: string,
  source: Source,
  store?: string,
): Promise<number> {
  const names = await makeSource(folder, source)
  const target = store === undefined ? {} : { targetStore: { dataStore: { name: store } } }
  const id = (await client.call('POST', '', { import: target })).json.import?.id as unknown as number
  const files = names.map((name) => ({ name, content: readFileSync(join(folder, name)) }))
  const uploaded = await client.upload(id, files)
  assert.equal(uploaded.status, 201, uploaded.text)
  await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  const remap = { type: 'AttributeRemapTransform', field: 'amount', target: 'java.lang.Integer' }
  const added = await client.call('POST', `/${id}/tasks/0/transforms`, remap)
  assert.equal(added.status, 201, added.text)
  if (source.isTable !== true)
    await client.call('POST', `/${id}/tasks/0/transforms`, {
      type: 'ReprojectTransform',
      target: 'EPSG:3857',
    })
  await client.call('PUT', `/${id}/tasks/0`, { task: { rejectLimit: 3 } })
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}/tasks/0`)
  assert.equal(done.json.task?.rejected, 3, done.text)
  return id
}

async function fetchFile(
  client: ImporterClient,
  id: number,
  folder: string,
): Promise<{ path: string; headers: Json }> {
  const url = `/rest/imports/${id}/tasks/0/rejects?format=source`
  const reply = await client.server.app.inject({ url, headers: client.server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  const [, name = 'none'] = /filename\*=UTF-8''(.*)$/.exec(String(reply.headers['content-disposition'])) ?? []
  const path = join(folder, name)
  writeFileSync(path, reply.rawPayload)
  return { path, headers: reply.headers as unknown as Json }
}

function coordinates(one: Json | undefined): number[] {
  return (JSON.stringify(one?.geometry ?? null).match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? []).map(Number)
}

function assertSameRow(found: Json | undefined, expected: Json | undefined, what: string): void {
  const [a, b] = [found?.properties, expected?.properties]
  // Formats without dates, or with dates that GDAL does not read, can only be compared by time, in UTC.
  const shown = (value: unknown): string => String(value).replace(/(Z|\+00)$/, '')
  for (const field of compared)
    if (b?.[field] !== undefined) assert.equal(shown(a?.[field]), shown(b[field]), `${what} ${field}`)
  assert.equal(Number(a?.place), Number(b?.place), `${what} place`)
  const [own, selected] = [coordinates(found), coordinates(expected)]
  assert.equal(own.length, selected.length, what)
  for (const [at, value] of own.entries())
    assert.ok(Math.abs(value - (selected[at] ?? Number.NaN)) < 1e-9, what)
}

/** Tests the files of rejected rows of a source in one format. */
export function describeRejectFiles(format: string): void {
  const source = sources[format] ?? assert.fail()
  describe(`rejected rows of ${format}`, needsGdal, () => {
    it('are given in the format of the source as they stood there, and go in mended', async (test) => {
      const client = await startImporter(test)
      const folder = newFolder(test)
      const id = await imported(client, newFolder(test), source)
      const { path, headers } = await fetchFile(client, id, folder)
      assert.equal(
        decodeURI(String(headers['terrane-format'])),
        source.instead ?? format,
        JSON.stringify(headers),
      )
      assert.equal(headers['terrane-format-note'] !== undefined, source.instead !== undefined)
      const given = await readByGdal(path)
      assert.deepEqual([...given.keys()].sort(), [...wrong].sort())
      const original = newFolder(test)
      await makeSource(original, source)
      const expected = await readByGdal(join(original, source.file))
      for (const name of wrong) {
        assertSameRow(given.get(name), expected.get(name), `${format} ${name}`)
        assert.match(String(given.get(name)?.properties?._reason), /amount|number|n\/a|int/i)
        assert.equal(given.get(name)?.properties?._code, 'row-not-transformed')
      }
      const corrected = await correct(newFolder(test), path)
      const body = multipart(corrected)
      const sent = await client.call('POST', `/${id}/tasks/0/rejects`, body, {
        'content-type': multipartType,
      })
      assert.deepEqual(
        sent.json.task?.mending?.rows,
        { sent: 3, loaded: 3, rejected: 0, refused: 0 },
        sent.text,
      )
      const items = listOf((await readItems(client, 'default:s')).features)
      const texas = items.find((one) => String(one.properties?.name ?? one.properties?.Name) === 'Texas')
      const utah = items.find((one) => String(one.properties?.name ?? one.properties?.Name) === 'Utah')
      assert.deepEqual([texas?.properties?.amount, utah?.properties?.amount], [77, 77])
      assert.equal(String(texas?.properties?.part), String(expected.get('Texas')?.properties?.part))
      if (source.isTable === true) return
      const [near, selected] = [coordinates(texas), coordinates(expected.get('Texas'))]
      assert.equal(near.length, selected.length)
      for (const [at, value] of near.entries())
        assert.ok(Math.abs(value - (selected[at] ?? Number.NaN)) < 1e-6)
    })
  })
}

const drivers: Record<string, string> = {
  zip: 'ESRI Shapefile',
  gpkg: 'GPKG',
  fgb: 'FlatGeobuf',
  geojson: 'GeoJSON',
  csv: 'CSV',
  kml: 'LIBKML',
  xlsx: 'XLSX',
  sqlite: 'SQLite',
}

/** Corrects the rows of a file with GDAL, in a file of the same format. */
async function correct(folder: string, path: string): Promise<{ name: string; content: Buffer }[]> {
  const name = basename(path)
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (ending === 'csv' || ending === 'geojson') {
    const text = readFileSync(path, 'latin1').replaceAll(/n\/a [A-Z]+("?)(?=[;,\r}]|$)/g, '77$1')
    return [{ name, content: Buffer.from(text, 'latin1') }]
  }
  if (ending === 'zip') {
    const main = await unzipped(path)
    const driver = { shp: 'ESRI Shapefile', gml: 'GML', tab: 'MapInfo File' }[main.slice(-3)] ?? ''
    return correctInto(folder, main, driver, basename(main))
  }
  return correctInto(folder, path, drivers[ending] ?? '', name)
}

async function correctInto(
  folder: string,
  path: string,
  driver: string,
  name: string,
): Promise<{ name: string; content: Buffer }[]> {
  const { stdout } = await runProgram('ogrinfo', ['-q', path])
  const [, layer = ''] = /^1: (.*?)(?: \(.*)?$/m.exec(stdout.toString()) ?? []
  const out = join(folder, 'out')
  await runProgram('mkdir', [out])
  const update = `SELECT *, '77' AS mended FROM "${layer}"`
  const copy = join(folder, 'copy.gpkg')
  convertVector(path, copy, ['-f', 'GPKG', '-dialect', 'SQLITE', '-sql', update, '-nln', 'rows'])
  await runProgram('ogrinfo', ['-q', copy, '-sql', "UPDATE rows SET amount = '77'"])
  convertVector(copy, join(out, name), ['-f', driver, 'rows'])
  return readdirSync(out).map((one) => ({ name: one, content: readFileSync(join(out, one)) }))
}
