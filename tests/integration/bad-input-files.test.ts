import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  assertNothingPublished,
  collection,
  cut,
  feature,
  fixture,
  garble,
  loadFiles,
  shapefilePart,
  shapefileParts,
  startWithTarget,
} from '../support/bad-input.ts'
import type { FilePart } from '../support/importer-client.ts'
import { temporaryData } from '../support/terrane-process.ts'

/** Points in rows of their own, as CSV with WKT and as newline-delimited GeoJSON. */
const table = Buffer.from(`name,wkt\n${lines((i) => `n${i},POINT (${i} ${i})`)}`)
const lineDelimited = Buffer.from(
  lines((i) => JSON.stringify(feature({ a: i }, { type: 'Point', coordinates: [i, i] }))),
)

function lines(line: (index: number) => string): string {
  return Array.from({ length: 50 }, (_, index) => `${line(index)}\n`).join('')
}

function geoPackage(folder: string): Buffer {
  const path = join(folder, 'states.gpkg')
  const source = join(import.meta.dirname, '../fixtures/shapefile/ne_110m_admin_1_states_provinces_shp.shp')
  execFileSync('ogr2ogr', ['-f', 'GPKG', '-nlt', 'PROMOTE_TO_MULTI', path, source])
  return readFileSync(path)
}

describe('a file that is broken as a whole', () => {
  it('makes a task in ERROR that says what is wrong and where, and leaves nothing behind', async (t) => {
    const client = await startWithTarget(t)
    const broken: [name: string, files: FilePart[], reason: RegExp][] = [
      ['cut .shp', shapefileParts({ shp: cut(shapefilePart('shp')) }), /\.shp is cut short.*39132 bytes/],
      ['cut .dbf', shapefileParts({ dbf: cut(shapefilePart('dbf')) }), /\.dbf is cut short.*51 rows/],
      [
        '.dbf head',
        shapefileParts({ dbf: garble(shapefilePart('dbf'), 0) }),
        /\.dbf cannot be read: field 2/,
      ],
      ['empty .dbf', shapefileParts({ dbf: '' }), /\.dbf ends within its header: 0 bytes/],
      [
        'GeoJSON',
        [part('a.geojson', cut(fixture('geojson/countries.geojson')))],
        /a\.geojson .*byte \d+, feature 162: the file ends too early/,
      ],
      [
        'GeoJSON',
        [part('a.geojson', garble(fixture('geojson/countries.geojson'), 0.3))],
        /a\.geojson .*byte \d+, feature 81/,
      ],
      [
        'FlatGeobuf',
        [part('a.fgb', cut(fixture('flatgeobuf/countries.fgb')))],
        /Feature 120, at byte 122960, takes 528 bytes, 448 are left/,
      ],
      [
        'FlatGeobuf',
        [part('a.fgb', garble(fixture('flatgeobuf/countries.fgb'), 0.3))],
        /Feature 41, at byte 61704/,
      ],
      [
        'GeoPackage',
        [part('a.gpkg', cut(geoPackage(temporaryData(t))))],
        /"a\.gpkg" cannot be read: the database is damaged/,
      ],
      [
        'CSV',
        [part('a.csv', 'a,wkt\n1,POINT(1 2)\n2,"POINT(1 2)\n3,POINT(3 4)\n')],
        /a\.csv: The quote that is opened in line 3 is never closed/,
      ],
      [
        'GeoJSON',
        [part('a.geojson', collection(feature({})).replace('[1,2]', '[1,,2]'))],
        /byte \d+, feature 1: A value was expected/,
      ],
      [
        'deep',
        [
          part(
            'a.geojson',
            `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"a":${'['.repeat(1e5)}`,
          ),
        ],
        /nested more than 256 deep/,
      ],
    ]
    for (const [name, files, reason] of broken) {
      const { task, import: made } = await loadFiles(client, files)
      assert.equal(task.state, 'ERROR', `${name}: ${JSON.stringify(task)}`)
      assert.match(String(task.errorMessage), reason, name)
      assert.equal(made.state, 'COMPLETE_ERROR', name)
    }
    await assertNothingPublished(client)
  })

  it('makes a task in NO_FORMAT that names it where nothing tells what it is', async (t) => {
    const client = await startWithTarget(t)
    const broken: [FilePart[], RegExp][] = [
      [shapefileParts({ shp: garble(shapefilePart('shp'), 0) }), /states\.shp/],
      [shapefileParts({ shp: '' }), /states\.shp/],
      [shapefileParts({ shp: null }), /states\.dbf/],
      [[part('a.geojson', garble(fixture('geojson/countries.geojson'), 0))], /a\.geojson/],
      [[part('a.fgb', garble(fixture('flatgeobuf/countries.fgb'), 0))], /a\.fgb/],
      [[part('a.gpkg', Buffer.alloc(5000))], /a\.gpkg/],
      [[part('a.csv', garble(table, 0.3))], /a\.csv/],
      [[part('a.txt', 'hello world')], /a\.txt/],
    ]
    for (const [files, named] of broken) {
      const { task, messages, runStatus } = await loadFiles(client, files)
      assert.equal(task.state, 'NO_FORMAT', JSON.stringify(task))
      assert.match(messages, named)
      assert.equal(runStatus, 409)
    }
    await assertNothingPublished(client)
  })

  it('makes a task in NO_FORMAT of an empty file of any extension', async (t) => {
    const client = await startWithTarget(t)
    const extensions = 'shp shx dbf prj geojson json ndjson csv tsv gpkg fgb kml gml gpx tif xlsx txt'.split(
      ' ',
    )
    for (const extension of extensions) {
      const name = `nothing.${extension}`
      const { task, messages } = await loadFiles(client, [part(name, '')])
      assert.equal(task.state, 'NO_FORMAT', name)
      assert.match(messages, new RegExp(name))
    }
    await assertNothingPublished(client)
  })
})

describe('a file that is damaged in part', () => {
  it('is loaded with a message where the rest tells what was meant', async (t) => {
    const client = await startWithTarget(t)
    const dbf = (change: (bytes: Buffer) => void): Record<string, Buffer> => {
      const bytes = shapefilePart('dbf')
      change(bytes)
      return { dbf: bytes }
    }
    const corrected: [Record<string, string | Uint8Array | null>, RegExp][] = [
      [{ shx: cut(shapefilePart('shx')) }, /\.shx does not belong to the \.shp/],
      [{ shx: garble(shapefilePart('shx'), 0.3) }, /\.shx is damaged/],
      [{ shx: '' }, /\.shx is damaged/],
      [{ dbf: null }, /no \.dbf beside the \.shp/],
      [dbf((bytes) => bytes.writeUInt32LE(4_000_000_000, 4)), /says 4000000000 rows; 51 were found/],
      [dbf((bytes) => bytes.writeUInt32LE(10, 4)), /says 10 rows; 51 were found/],
      [dbf((bytes) => bytes.writeUInt16LE(7, 10)), /says records of 7 bytes/],
      [dbf((bytes) => bytes.writeUInt16LE(60_000, 8)), /says a header of 60000 bytes/],
    ]
    for (const [changes, message] of corrected) {
      const { task, messages } = await loadFiles(client, shapefileParts(changes))
      assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
      assert.equal(task.rowsLoaded, 51)
      assert.match(messages, message)
    }
  })

  it('is loaded without the rows that cannot be read, each of them told', async (t) => {
    const client = await startWithTarget(t)
    const damaged: [FilePart[], { rows: number; rejected: number }, string?][] = [
      [shapefileParts({ shp: garble(shapefilePart('shp'), 0.3) }), { rows: 51, rejected: 1 }],
      [[part('a.ndjson', cut(lineDelimited))], { rows: 31, rejected: 1 }],
      [[part('a.ndjson', garble(lineDelimited, 0.3))], { rows: 49, rejected: 2 }],
      [[part('a.csv', cut(table))], { rows: 31, rejected: 1 }, 'EPSG:4326'],
    ]
    for (const [files, { rows, rejected }, srs] of damaged) {
      const { id, task } = await loadFiles(client, files, srs === undefined ? {} : { srs })
      assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
      assert.equal(task.rowsRead, rows)
      assert.equal(task.rejected, rejected)
      const { json } = await client.call('GET', `/${id}/tasks/0/rejects?f=json`)
      const kept = json.features as unknown as { properties: { _row: number; _reason: string } }[]
      assert.equal(kept.length, rejected)
      for (const { properties } of kept) assert.ok(properties._row > 0 && properties._reason.length > 10)
    }
  })

  it('waits for a CRS where the .prj is a web page, cut or empty, and says what stands there', async (t) => {
    const client = await startWithTarget(t)
    const page = '<!DOCTYPE html><html><head><title>404 Not Found</title></head></html>'
    for (const [prj, message] of [
      [page, /\.prj holds no coordinate reference system.*<!DOCTYPE html>.*Set the CRS by hand/],
      [cut(shapefilePart('prj')), /\.prj holds no coordinate reference system.*GEOGCS.*Set the CRS by hand/],
      ['', /\.prj holds no coordinate reference system.*nothing.*Set the CRS by hand/],
    ] as const) {
      const { task, messages, runStatus } = await loadFiles(client, shapefileParts({ prj }))
      assert.equal(task.state, 'NO_CRS')
      assert.match(messages, message)
      assert.equal(runStatus, 409)
    }
    await assertNothingPublished(client)
  })
})

function part(name: string, content: string | Uint8Array): FilePart {
  return { name, content }
}
