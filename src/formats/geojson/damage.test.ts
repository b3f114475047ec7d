import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { collection, feature } from '../../../tests/support/geojson-text.ts'
import { dataFile, type ReadLayer, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { FormatError } from '../format.ts'
import { geojson } from './geojson.ts'

const writeFile = temporaryFiles()

function write(content: string | Uint8Array, name = 'data.geojson'): string {
  return writeFile(name, content)
}

function read(content: string | Uint8Array, name?: string): Promise<ReadLayer> {
  return readLayer(geojson, write(content, name))
}

function failure(content: string | Uint8Array, name?: string): Promise<FormatError> {
  return geojson.describe(dataFile(write(content, name)), readContext()).then(
    () => assert.fail('described'),
    (error) => {
      assert.ok(error instanceof FormatError, String(error))
      return error
    },
  )
}

describe('broken GeoJSON', () => {
  const one = feature('{"a":1}')
  const broken: Record<string, [string, string, RegExp]> = {
    'a missing comma': [
      `{"type":"FeatureCollection","features":[${one} ${one}]}`,
      'bad-json',
      /feature 1: "," or/,
    ],
    'a trailing comma': [collection([one, '']), 'bad-json', /feature 2/],
    'another word as a value': [
      collection([one, feature('{"a":NA}')]),
      'bad-json',
      /byte 2\d\d, feature 2: A value was expected/,
    ],
    'NaN with a sign': [collection([feature('{"a":-NaN}')]), 'bad-json', /feature 1: A value was expected/],
    'half of Infinity': [collection([feature('{"a":Inf}')]), 'bad-json', /feature 1: A value was expected/],
    'a leading zero': [collection([feature('{"a":01}')]), 'bad-json', /leading zero/],
    'a control character': [collection([feature('{"a":"\n"}')]), 'bad-json', /control character/],
    'an unknown escape': [collection([feature('{"a":"\\x"}')]), 'bad-json', /escape/],
    'deep nesting': [
      collection([feature(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`)]),
      'bad-json',
      /nested/,
    ],
    'something after the end': [`${collection([one])} x`, 'bad-json', /after the end/],
    'another type': [`{"features":[${one}],"type":"Topology"}`, 'bad-json', /"Topology"/],
    'features that are no array': ['{"type":"FeatureCollection","features":{}}', 'bad-json', /not an array/],
    truncation: [collection([one, one]).slice(0, -30), 'truncated', /feature 2: the file ends too early/],
    'truncation behind the features': [collection([one]).slice(0, -1), 'truncated', /ends too early/],
    'an empty file': ['', 'truncated', /ends too early/],
  }
  for (const [name, [content, code, message]] of Object.entries(broken)) {
    it(`is refused for ${name}`, async () => {
      const error = await failure(content)
      assert.match(error.message, message)
      assert.equal(error.code, code)
    })
  }

  it('has NaN and infinite numbers as values, in letters of either case', async () => {
    const rows = [
      '{"a":NaN,"i":7,"t":"x","d":12345678901234567890123,"n":{"x":[NaN,1],"y":-Infinity}}',
      '{"a":Infinity,"i":NaN,"t":NaN,"d":nan,"n":[1]}',
      '{"a":-infinity,"i":null,"t":-INFINITY,"d":-Infinity,"n":NAN}',
      '{"a":1.5,"i":8,"t":true,"d":1,"n":null}',
    ]
    const expected = [
      [Number.NaN, 7, 'x', '12345678901234567890123', '{"x":[null,1],"y":null}'],
      [Number.POSITIVE_INFINITY, Number.NaN, 'NaN', 'NaN', '[1]'],
      [Number.NEGATIVE_INFINITY, null, '-Infinity', '-Infinity', 'NaN'],
      [1.5, 8, 'true', '1', null],
    ]
    const features = rows.map((row) => feature(row))
    for (const [content, name] of [
      [collection(features), 'data.geojson'],
      [
        `{"type":"FeatureCollection","bbox":[NaN,0,1,1],"crs":{"x":NaN},${collection(features).slice(28)}`,
        'top.json',
      ],
      [features.join('\n'), 'data.geojsonl'],
      [features.map((one) => `\x1e${one}\n`).join(''), 'data.geojsonseq'],
    ] as const) {
      const { layer, rows: read, rejects } = await readLayer(geojson, write(content, name))
      assert.deepEqual(
        read.map(({ values }) => values),
        expected,
        name,
      )
      assert.equal(rejects.length, 0)
      assert.deepEqual(
        layer.schema.attributes.map(({ type }) => type),
        ['float64', 'float64', 'text', 'decimal', 'text'],
      )
      assert.deepEqual(
        layer.messages?.map(({ code }) => code),
        ['numbers-not-finite'],
      )
    }
  })

  it('loses only rows with such coordinates', async () => {
    const places = ['[1,2]', '[NaN,2]', '[1,Infinity]', '[1,2,-Infinity]', '[1,2,3,NaN]', '[3,4]']
    const features = places.map((place) => feature('{"a":1}', `{"type":"Point","coordinates":${place}}`))
    const { rows, rejects } = await read(collection(features))
    assert.deepEqual(
      rows.map(({ row }) => row),
      [1, 6],
    )
    assert.deepEqual([...new Set(rejects.map(({ reason }) => reason))], ['A coordinate is NaN or infinite'])
  })

  it('is refused for a feature of more than 64 MiB, by its number', async () => {
    const path = write('')
    const filler = Buffer.alloc(65 << 20, 0x61)
    writeFileSync(path, Buffer.concat([Buffer.from(`${collection([one]).slice(0, -2)},{"type":"`), filler]))
    const error = await geojson.describe(dataFile(path), readContext()).catch((reason) => reason)
    assert.equal(error.code, 'too-large')
    assert.match(error.message, /feature 2/)
  })

  it('rejects an object whose type is not text', async () => {
    const content = Buffer.from(`{"type":"Feature~","features":[]}`)
    content[content.indexOf('~')] = 0x8c
    const { rows, rejects } = await read(content)
    assert.deepEqual([rows.length, rejects.length], [0, 1])
  })

  it('is refused for too many different properties', async () => {
    const names = Array.from({ length: 1999 }, (_, i) => `"p${i}":1`).join()
    assert.equal((await failure(collection([feature(`{${names}}`)]))).code, 'too-wide')
  })

  it('loses only the bad line of a newline-delimited file', async () => {
    const lines = [one, '{"type":"Feature"', feature('{"a":NA}'), `${one} x`, collection([one]), '7', one]
    const { layer, rows, rejects } = await read(lines.join('\n'), 'data.geojsonl')
    assert.equal(layer.featureCount, 7)
    assert.deepEqual(
      rows.map((row) => row.row),
      [1, 7],
    )
    assert.deepEqual(
      rejects.map((reject) => reject.row),
      [2, 3, 4, 5, 6],
    )
    assert.match(rejects[1]?.reason ?? '', /byte \d+ of the line/)
  })

  it('loses the bad first line too where the name tells that each line is one feature', async () => {
    const content = `{"type":"Feature",x\n${one}\n`
    const { rows, rejects } = await read(content, 'data.ndjson')
    assert.deepEqual([rows.length, rejects.length], [1, 1])
    assert.ok(geojson.detect({ path: 'data.ndjson', sidecars: {} }, Buffer.from(content)))
  })

  it('rejects rows whose text is not UTF-8, has NUL or half a surrogate pair', async () => {
    const content = Buffer.from(
      collection([
        feature('{"a":"~"}'),
        feature('{"a":"\\u0000"}'),
        feature('{"a":"\\ud800"}'),
        feature('{"a":"x"}'),
      ]),
    )
    content[content.indexOf('~')] = 0xe9
    const { rows, rejects } = await read(content)
    assert.equal(rows.length, 1)
    assert.deepEqual(
      rejects.map(({ row, field }) => [row, field]),
      [
        [1, 'a'],
        [2, 'a'],
        [3, 'a'],
      ],
    )
  })

  it('rejects elements that are no features', async () => {
    const { rejects } = await read(
      collection(['7', 'null', '{}', '{"type":"Point","coordinates":[1,2]}', feature('7')]),
    )
    assert.equal(rejects.length, 5)
  })
})
