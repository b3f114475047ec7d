import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { dataFile, type ReadLayer, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { FormatError, type ReadOptions } from '../format.ts'
import { csv } from './csv.ts'

const write = temporaryFiles()
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/csv')

function read(
  content: string | Uint8Array,
  options: ReadOptions = {},
  name = 'data.csv',
): Promise<ReadLayer> {
  return readLayer(csv, write(name, content), options)
}

async function valuesOf(
  content: string | Uint8Array,
  options?: ReadOptions,
  name?: string,
): Promise<unknown[][]> {
  return (await read(content, options, name)).rows.map((row) => row.values)
}

function namesOf({ layer }: ReadLayer): string[] {
  return layer.schema.attributes.map((attribute) => attribute.name)
}

function codesOf({ layer }: ReadLayer): string[] {
  return layer.messages.map((message) => message.code)
}

function detect(name: string, content: string | Uint8Array): boolean | Promise<boolean> {
  return csv.detect({ path: name, sidecars: {} }, Buffer.from(content))
}

describe('the CSV rules', () => {
  const spectrum = join(fixtures, 'spectrum')
  // Geometries in GeoJSON are geometries.
  const files = readdirSync(spectrum).filter((name) => name.endsWith('.csv') && name !== 'json.csv')
  for (const file of files) {
    it(`hold for ${file}`, async () => {
      const result = await readLayer(csv, join(spectrum, file))
      const names = namesOf(result)
      const rows = result.rows.map(({ values }) =>
        Object.fromEntries(values.map((value, index) => [names[index], value === null ? '' : String(value)])),
      )
      assert.deepEqual(rows, JSON.parse(readFileSync(join(spectrum, file.replace('.csv', '.json')), 'utf8')))
      assert.deepEqual(result.rejects, [])
    })
  }

  it('take semicolons and a WKT column of a real file', async () => {
    const { layer, rows } = await readLayer(csv, join(fixtures, 'valid.csv'))
    assert.deepEqual(layer, {
      name: 'valid',
      schema: {
        attributes: [
          { name: 'id', type: 'int32', source: 'id', example: '1' },
          { name: 'name', type: 'text', source: 'name', example: 'Kevin' },
          { name: 'amount', type: 'float64', source: 'amount', example: '2.1' },
          { name: 'city', type: 'text', source: 'city', example: 'Rapperswil' },
        ],
        geometry: { name: 'geom', type: 'Point', hasZ: false, hasM: false, crs: undefined },
      },
      featureCount: 3,
      charset: 'UTF-8',
      messages: [],
      envelope: { minX: 7.4397, minY: 46.9487, maxX: 8.8249, maxY: 47.3768 },
    })
    assert.deepEqual(rows, [
      { row: 1, geometry: 'POINT (8.8249 47.2274)', values: [1, 'Kevin', 2.1, 'Rapperswil'] },
      { row: 2, geometry: 'POINT (8.5435 47.3768)', values: [2, 'Eva', 2.2, 'Zürich'] },
      { row: 3, geometry: 'POINT (7.4397 46.9487)', values: [3, 'Jimmy;Muff', 2.3, null] },
    ])
  })

  it('trim headers and unquoted cells, and keep blanks in quotes', async () => {
    const result = await read(' a ,\t"b" , c\n x y\t, " z " ,\n')
    assert.deepEqual(namesOf(result), ['a', 'b', 'c'])
    assert.deepEqual(result.rows[0]?.values, ['x y', ' z ', null])
  })

  it('tell an empty cell from an empty quoted one in text', async () => {
    assert.deepEqual(await valuesOf('a,b\n,""\n"x",y\n'), [
      [null, ''],
      ['x', 'y'],
    ])
  })

  it('take LF, CR LF and CR, pass over blank lines, and need no line end at the end', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      assert.deepEqual(await valuesOf(['a,b', '1,2', '', '  ', '3,4'].join(end)), [
        [1, 2],
        [3, 4],
      ])
    }
  })

  it('leave a quote inside an unquoted cell alone', async () => {
    assert.deepEqual(await valuesOf('a,b\n5" pipe,x\n'), [['5" pipe', 'x']])
  })

  it('make empty and repeated headers unique, each with a message', async () => {
    const result = await read('a,,a,a_2,\n1,2,3,4,5\n')
    assert.deepEqual(namesOf(result), ['a', 'field_2', 'a_3', 'a_2', 'field_5'])
    assert.deepEqual(codesOf(result), ['empty-header', 'repeated-header', 'empty-header'])
    assert.deepEqual(result.rows[0]?.values, [1, 2, 3, 4, 5])
  })

  it('reject rows with more cells than the header, and fill shorter ones with null', async () => {
    const result = await read('a,b\n1,2\n3\n4,5,6\n\n7,8\n')
    assert.deepEqual(
      result.rows.map(({ row, values }) => [row, ...values]),
      [
        [1, 1, 2],
        [2, 3, null],
        [4, 7, 8],
      ],
    )
    assert.deepEqual(result.rejects, [
      { row: 3, reason: 'The row has 3 cells, the header has 2', properties: { a: '4', b: '5' } },
    ])
    assert.deepEqual(codesOf(result), ['short-rows'])
    assert.equal(result.layer.featureCount, 4)
  })

  it('reject rows with text behind a closing quote, or with NUL', async () => {
    const { rows, rejects } = await read('a,b\n"x"y,1\nx\0y,2\n"x\0",3\n"x"\0,4\ny,5\n')
    assert.deepEqual(
      rejects.map(({ row, field }) => [row, field]),
      [1, 2, 3, 4].map((row) => [row, 'a']),
    )
    assert.equal(rows.length, 1)
  })

  it('read rows and cells that go over the ends of chunks', async () => {
    const sizes = [10, 700_000, 400_000, 5, 3_000_000, 1]
    const rows = sizes.map((size, id) => `${id},"${'ä""\n'.repeat(size / 4)}"`)
    const values = await valuesOf(`id,text\n${rows.join('\n')}`)
    assert.deepEqual(
      values.map(([id, text]) => [id, String(text).length]),
      sizes.map((size, id) => [id, Math.floor(size / 4) * 3]),
    )
  })

  it('read a header alone as a table without rows', async () => {
    const { layer, rows } = await read('a,b\n')
    assert.deepEqual([layer.schema.attributes.length, layer.featureCount, rows.length], [2, 0, 0])
  })
})

describe('CSV delimiters', () => {
  const cases: [string, string, number][] = [
    ['commas', 'a,b,c\n1,2,3\n', 3],
    ['semicolons beside decimal commas', 'a;b\n1,5;2,5\n3,5;4,5\n', 2],
    ['tabs', 'a\tb\n1\t2\n', 2],
    ['bars', 'a|b, c|d\n1|2|3\n', 3],
    ['commas inside quotes', '"a,b";c\n"1,2";3\n', 2],
    ['one column', 'a\n1\n2\n', 1],
  ]
  for (const [name, content, columns] of cases) {
    it(`are found: ${name}`, async () => {
      const { layer, rejects } = await read(content)
      assert.deepEqual([layer.schema.attributes.length, rejects.length], [columns, 0])
    })
  }
})

describe('CSV encodings', () => {
  const text = 'näme,b\nZürich €,1\n'
  const utf16 = Buffer.from(text, 'utf16le')
  const cases: [string, Uint8Array, ReadOptions, string][] = [
    ['UTF-8', Buffer.from(text), {}, 'UTF-8'],
    ['a byte order mark of UTF-8', Buffer.from(`\ufeff${text}`), {}, 'UTF-8'],
    ['a byte order mark of UTF-16LE', Buffer.from(`\ufeff${text}`, 'utf16le'), {}, 'UTF-16LE'],
    ['a byte order mark of UTF-16BE', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), {}, 'UTF-16BE'],
    ['UTF-16 without a mark', utf16, {}, 'UTF-16LE'],
    [
      'a charset that is given',
      Buffer.from(text.replace('€', '¤'), 'latin1'),
      { charset: 'latin1' },
      'ISO-8859-1',
    ],
  ]
  for (const [name, bytes, options, charset] of cases) {
    it(`are read: ${name}`, async () => {
      const result = await read(bytes, options)
      assert.equal(result.layer.charset, charset)
      assert.deepEqual(namesOf(result), ['näme', 'b'])
      assert.deepEqual(result.rows[0]?.values, [options.charset === undefined ? 'Zürich €' : 'Zürich ¤', 1])
      assert.deepEqual(result.layer.messages, [])
    })
  }

  it('are Windows-1252 with a message where any byte of the file is not UTF-8', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => `${i},abcdef\n`).join('')
    const result = await read(
      Buffer.concat([Buffer.from(`a,b\n${rows}`), Buffer.from([0x31, 0x2c, 0x80, 0x0a])]),
    )
    assert.equal(result.rows.at(-1)?.values[1], '€')
    assert.deepEqual(codesOf(result), ['guessed-charset'])
  })

  it('reject the rows whose bytes are no text in the charset', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a,b\n'),
      Buffer.from([0x31, 0x2c, 0xff, 0x0a]),
      Buffer.from('2,ü\n'),
    ])
    const { rows, rejects } = await read(bytes, { charset: 'UTF-8' })
    assert.deepEqual([rows.length, rejects[0]?.row, rejects[0]?.field], [1, 1, 'b'])
    const arabic = await read(Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0xff, 0x0a]), {
      charset: 'ISO-8859-8',
    })
    assert.equal(arabic.rejects.length, 1)
  })

  it('are refused where the charset is not known', async () => {
    const file = dataFile(write('x.csv', 'a\n'))
    await assert.rejects(csv.describe(file, readContext({ charset: 'klingon' })), { code: 'unknown-charset' })
  })
})

describe('CSV geometry', () => {
  it('is the WKT column, in the shape that holds all its cells', async () => {
    const { layer, rows } = await read(
      'a,wkt\n1,"POLYGON((0 0,1 0,1 1,0 0))"\n2,\n3,"MULTIPOLYGON Z(((0 0 5,1 0 5,1 1 5,0 0 5)))"\n',
    )
    assert.deepEqual([layer.schema.geometry?.type, layer.schema.geometry?.hasZ], ['MultiPolygon', true])
    assert.deepEqual(
      rows.map((row) => row.geometry),
      ['MULTIPOLYGON Z (((0 0 0,1 0 0,1 1 0,0 0 0)))', null, 'MULTIPOLYGON Z (((0 0 5,1 0 5,1 1 5,0 0 5)))'],
    )
  })

  it('takes its CRS from EWKT', async () => {
    const { layer } = await read('g\nSRID=25832;POINT(1 2)\nSRID=25832;POINT(3 4)\n')
    assert.deepEqual(layer.schema.geometry?.crs, { srs: 'EPSG:25832' })
    const mixed = await read('g\nSRID=25832;POINT(1 2)\nSRID=4326;POINT(3 4)\n')
    assert.deepEqual([mixed.layer.schema.geometry?.crs, codesOf(mixed)], [undefined, ['several-srids']])
  })

  it('rejects the rows of the few cells that are broken', async () => {
    const cells = Array.from({ length: 100 }, (_, i) => `${i},POINT(${i} 1)`)
    cells[42] = '42,POINT(x 1)'
    const result = await read(`n,geom\n${cells.join('\n')}\n`)
    assert.equal(result.rows.length, 99)
    assert.deepEqual(
      result.rejects.map(({ row, field, value }) => [row, field, value]),
      [[43, 'geom', 'POINT(x 1)']],
    )
    assert.deepEqual(codesOf(result), ['bad-wkt'])
  })

  it('is what is meant as geometry by its name, however many cells are broken, while most are right', async () => {
    const cells = Array.from({ length: 10 }, (_, i) => `${i},POINT(${i < 4 ? 'x' : i} 1)`)
    const result = await read(`n,wkt\n${cells.join('\n')}\n`)
    assert.deepEqual([result.rows.length, result.rejects.length], [6, 4])
    const other = await read(`n,place\n${cells.join('\n')}\n`)
    assert.deepEqual([other.layer.schema.geometry, codesOf(other)], [undefined, ['wkt-not-used']])
  })

  it('is not taken from text that only begins like WKT', async () => {
    const result = await read('a,b\n1,POINT(1 2)\n2,POINT of view\n3,other\n')
    assert.equal(result.layer.schema.geometry, undefined)
    assert.equal(result.layer.schema.attributes[1]?.type, 'text')
    assert.match(result.layer.messages[0]?.message ?? '', /"b" is loaded as text: 2 of its 3 cells/)
  })

  it('is the column of a usual name where several hold WKT', async () => {
    const { layer } = await read('first,geom\nPOINT(1 2),POINT(3 4)\n')
    assert.equal(layer.schema.geometry?.name, 'geom')
    assert.equal(layer.schema.attributes[0]?.name, 'first')
  })
})

describe('broken CSV', () => {
  function failure(content: string | Uint8Array): Promise<FormatError> {
    return csv.describe(dataFile(write('broken.csv', content)), readContext()).then(
      () => assert.fail('described'),
      (error) => {
        assert.ok(error instanceof FormatError, String(error))
        return error
      },
    )
  }

  it('is refused for a quote that is never closed, by its line', async () => {
    const error = await failure('a,b\n1,"x\ny"\n2,"z\n3,4\n')
    assert.equal(error.code, 'open-quote')
    assert.match(error.message, /line 4/)
  })

  it('is refused for a row of more than 64 MiB', async () => {
    const error = await failure(Buffer.concat([Buffer.from('a,b\n1,"'), Buffer.alloc(66 << 20, 0x61)]))
    assert.equal(error.code, 'too-large')
  })

  it('is refused when it is empty or too wide', async () => {
    assert.equal((await failure('')).code, 'empty')
    assert.equal((await failure(`${','.repeat(2000)}\n`)).code, 'too-wide')
  })
})

const tables = {
  'a table with semicolons': 'a;b\n1;2\n3;4\n',
  'a single row with a number': 'stop_id,stop_name,stop_lat,stop_lon\nS1,"Main St, north",36.9,-116.7\n',
  'a row of texts alone': 'agency_id,agency_name,agency_url\nDTA,Demo Transit,http://x.example\n',
  'years as names of columns': 'country\t1990\t1991\nAruba\t1\t2\nChad\t3\t\n',
  'an index without a name': ',name,pop\n0,a,5\n1,b,7\n',
  'names in brackets': '<TICKER>,<CLOSE>\nX,1.5\nY,2.5\n',
  'WKT as geometry': 'name|geom\na|POINT (1 2)\nb|POINT (3 4)\n',
  'a row that is short': `id,x\n${'1,2\n'.repeat(20)}3\n`,
}
const noTables = {
  'note with commas': 'This is a text,\nwith commas, here\nand there, or not\nat all\n',
  letter: 'Dear Anna,\nYours, Bob\n',
  poem: 'Roses are red,\nViolets are blue,\nSugar is sweet,\n',
  log: '2024-01-01 12:00:00,123 INFO start\n2024-01-01 12:00:01,456 INFO stop\n',
  'access log': '10.0.0.1 - - "GET /" "A (X11; Linux)"\n10.0.0.1 - - "GET /a" "A (X11; Linux)"\n',
  sentences: '$GPGGA,1,N\n$GPGGA,2,N\n',
  'MapInfo header': '!table\n!version 300\n!charset WindowsLatin1\n',
  'table without names': '1,2,3\n4,5,6\n',
  'single letter': 'a\n',
  'list of words': 'a\nb\nc\n',
  settings: 'a = 1, 2\nb = 3\n',
}
const otherKinds = {
  'GeoJSON on one line':
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1,"b":2},"geometry":null}]}',
  'GeoJSON by lines': '{"type":"Feature","properties":{"a":1},"geometry":null}\n'.repeat(3),
  'list of objects': '[{"a":1,"b":2},{"a":1,"b":2}]',
  'HTML page': '<!doctype html>\n<p>a,b\n<p>c,d\n',
  KML: '<?xml version="1.0"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>',
  'zip archive': Buffer.from('PK\u0003\u0004', 'latin1'),
  'PDF document': '%PDF-1.4\na,b\n1,2\n',
}

describe('CSV detection', () => {
  it('takes any text that is called csv or tsv', () => {
    assert.ok(detect('x.csv', 'a\n1\n'))
    assert.ok(detect('x.TSV', 'a\tb\n1\t2\n'))
    assert.ok(detect('x.csv', Buffer.from('\ufeffa,b\n', 'utf16le')))
  })

  it('takes tables of one column or one row by their ending alone', () => {
    for (const content of ['name\n', 'name\nx\ny\n', 'a,b,c\n', '1,2,3\n4,5,6\n', 'Dear Sir,\nthanks.\n']) {
      assert.ok(detect('x.csv', content), content)
      assert.ok(!detect('x.txt', content), content)
    }
  })

  for (const [what, content] of Object.entries(tables)) {
    it(`takes ${what} under any ending of text`, () => {
      for (const name of ['x.txt', 'x.tab', 'x.DAT', 'x.csv', 'x.xls']) assert.ok(detect(name, content), name)
      assert.ok(detect('x.txt', Buffer.from(`\ufeff${content}`, 'utf16le')))
      assert.ok(!detect('x.json', content))
    })
  }

  for (const [what, content] of Object.entries(noTables)) {
    it(`takes no ${what} for a table`, () => {
      for (const name of ['x.txt', 'x.tab', 'x.dat', 'x.text']) assert.ok(!detect(name, content), name)
    })
  }

  for (const [what, content] of Object.entries(otherKinds)) {
    it(`takes no ${what}, whatever its name`, () => {
      for (const name of ['x.csv', 'x.tsv', 'x.txt', 'x.tab']) assert.ok(!detect(name, content), name)
    })
  }

  it('takes no binary data and no empty file', () => {
    assert.ok(!detect('x.csv', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1])))
    assert.ok(!detect('x.csv', ''))
  })
})
