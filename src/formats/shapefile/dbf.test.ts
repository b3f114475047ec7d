import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import iconv from 'iconv-lite'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { type WriterField, type WriterRow, writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { shapefile } from './shapefile.ts'

const folder = mkdtempSync(join(tmpdir(), 'dbf-'))
after(() => rmSync(folder, { recursive: true }))

type Values = WriterRow['values']
let files = 0

function write(
  fields: WriterField[],
  rows: Values[],
  more: { cpg?: string; languageDriver?: number } = {},
): string {
  files += 1
  const path = join(folder, `f${files}.shp`)
  const points = rows.map((values) => ({ shape: { parts: [[1, 2]] }, values }))
  writeShapefile(path, { shapeType: 1, fields, rows: points, ...more })
  return path
}

async function valuesOf(field: Omit<WriterField, 'name'>, values: Values, more = {}) {
  const path = write(
    [{ name: 'field', ...field }],
    values.map((value) => [value]),
    more,
  )
  const { layer, rows, rejects } = await readLayer(shapefile, path)
  return { type: layer.schema.attributes[0]?.type, values: rows.map((row) => row.values[0]), rejects, layer }
}

describe('dBASE values', () => {
  it('reads whole numbers exactly, in the smallest type that holds the width', async () => {
    const narrow = await valuesOf({ type: 'N', width: 9 }, [999999999, '-12', ' 7 ', null, '1e3', '5.'])
    assert.deepEqual([narrow.type, narrow.values], ['int32', [999999999, -12, 7, null, 1000, 5]])
    const wide = await valuesOf({ type: 'N', width: 18 }, [
      '9999999999',
      '999999999999999999',
      '-9007199254740993',
      '',
    ])
    assert.deepEqual(
      [wide.type, wide.values],
      ['int64', [9999999999n, 999999999999999999n, -9007199254740993n, null]],
    )
    const decimal = await valuesOf({ type: 'N', width: 20 }, [
      '18446744073709551615',
      '-000',
      '+5',
      '   12.00',
    ])
    assert.deepEqual([decimal.type, decimal.values], ['decimal', ['18446744073709551615', '0', '5', '12']])
  })

  it('reads numbers with decimals to the nearest double', async () => {
    const texts = [
      '0.1',
      '-123456.789',
      '3.141592653589793238',
      '1e-5',
      '.5',
      '5.',
      '1.500000000',
      '',
      '-0.001',
    ]
    const { type, values } = await valuesOf({ type: 'N', width: 20, decimals: 15 }, texts)
    assert.equal(type, 'float64')
    assert.deepEqual(values, [0.1, -123456.789, Math.PI, 1e-5, 0.5, 5, 1.5, null, -0.001])
    assert.equal((await valuesOf({ type: 'F', width: 9 }, ['7'])).type, 'float64')
  })

  it('rejects what is not a number, naming row, field and value', async () => {
    const { values, rejects } = await valuesOf({ type: 'N', width: 9 }, [1, 'n/a', 3, '1.5', '-', '1-2'])
    assert.deepEqual(values, [1, 3])
    assert.deepEqual(
      rejects.map(({ row, field, value }) => [row, field, value]),
      [
        [2, 'field', 'n/a'],
        [4, 'field', '1.5'],
        [5, 'field', '-'],
        [6, 'field', '1-2'],
      ],
    )
    assert.equal(rejects[0]?.reason, 'Field "field": "n/a" is not a number')
    assert.deepEqual(rejects[0]?.properties, { field: 'n/a' })
    assert.equal(rejects[0]?.geometry?.length, 21)
    assert.equal((await valuesOf({ type: 'N', width: 9, decimals: 2 }, ['n', '1,5', '.'])).rejects.length, 3)
    assert.equal((await valuesOf({ type: 'F', width: 9 }, ['1e999'])).rejects.length, 1)
  })

  it('reads infinities and what is not a number as programs write them', async () => {
    const texts = ['inf', '-inf', 'Infinity', '1.#INF', '-1.#INF', 'nan', '-nan', '1.#QNAN', '-1.#IND00']
    const { values, rejects } = await valuesOf({ type: 'N', width: 9, decimals: 2 }, texts)
    const { NaN: none, POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number
    assert.deepEqual(values, [most, least, most, most, least, none, none, none, none])
    assert.deepEqual(rejects, [])
    assert.equal(
      (await valuesOf({ type: 'N', width: 9, decimals: 2 }, ['infinit', 'nano'])).rejects.length,
      2,
    )
  })

  it('reads asterisks as null and says in how many values', async () => {
    const { values, layer } = await valuesOf({ type: 'N', width: 4, decimals: 1 }, ['****', 1, '****'])
    assert.deepEqual(values, [null, 1, null])
    assert.deepEqual(
      layer.messages.map((message) => message.code),
      ['overflowed-values'],
    )
    assert.match(layer.messages[0]?.message ?? '', /"field": 2 values/)
  })

  it('reads dates, and rejects those that are none', async () => {
    const texts = ['20240229', '19700102', '00000000', '', '00010101', '19691231']
    const { type, values } = await valuesOf({ type: 'D', width: 8 }, texts)
    assert.deepEqual([type, values], ['date', [19782, 1, null, null, -719162, -1]])
    const { rejects } = await valuesOf({ type: 'D', width: 8 }, [
      '20230229',
      '2023-1-1',
      '20231301',
      '2023',
      '00000101',
    ])
    assert.equal(rejects.length, 5)
  })

  it('reads logicals', async () => {
    const { type, values, rejects } = await valuesOf({ type: 'L', width: 1 }, [
      'T',
      't',
      'Y',
      'F',
      'n',
      '?',
      ' ',
      'x',
    ])
    assert.deepEqual([type, values], ['boolean', [true, true, true, false, false, null, null]])
    assert.deepEqual(
      rejects.map((reject) => reject.row),
      [8],
    )
  })

  it('trims texts on the right, up to a NUL, and reads blanks as null', async () => {
    const { values } = await valuesOf({ type: 'C', width: 8 }, [
      '  a b  ',
      'ab\0junk',
      '',
      '\0\0\0',
      'eightchr',
    ])
    assert.deepEqual(values, ['  a b', 'ab', null, null, 'eightchr'])
  })

  it('reads the binary fields of FoxPro', async () => {
    const bytes = (count: number, fill: (view: DataView) => void): Uint8Array => {
      const array = new Uint8Array(count)
      fill(new DataView(array.buffer))
      return array
    }
    const fields = [
      { name: 'i', type: 'I', width: 4 },
      { name: 'b', type: 'B', width: 8 },
      { name: 't', type: 'T', width: 8 },
      { name: 'y', type: 'Y', width: 8 },
    ]
    const values = [
      bytes(4, (view) => view.setInt32(0, -5, true)),
      bytes(8, (view) => view.setFloat64(0, 0.25, true)),
      bytes(8, (view) => {
        view.setInt32(0, 2440588 + 1, true)
        view.setInt32(4, 1000, true)
      }),
      bytes(8, (view) => view.setBigInt64(0, -12345n, true)),
    ]
    const { layer, rows } = await readLayer(shapefile, write(fields, [values]))
    assert.deepEqual(
      layer.schema.attributes.map((attribute) => attribute.type),
      ['int32', 'float64', 'timestamp', 'decimal'],
    )
    assert.deepEqual(rows[0]?.values, [-5, 0.25, 86401000000n, '-1.2345'])
  })

  it('reads long texts from the memo file, and nulls with a message without it', async () => {
    const path = write([{ name: 'note', type: 'M', width: 10 }], [['1'], [null], ['77']])
    const missing = await readLayer(shapefile, path)
    assert.deepEqual(
      missing.rows.map((row) => row.values[0]),
      [null, null, null],
    )
    assert.deepEqual(
      missing.layer.messages.map((message) => message.code),
      ['no-memo-file'],
    )
    writeFileSync(
      path.replace('.shp', '.dbt'),
      Buffer.concat([Buffer.alloc(512), Buffer.from('a long text\x1a\x1a')]),
    )
    const { rows, rejects } = await readLayer(shapefile, path)
    assert.deepEqual(
      rows.map((row) => row.values[0]),
      ['a long text', null],
    )
    assert.deepEqual(
      rejects.map((reject) => reject.row),
      [3],
    )
  })

  it('leaves deleted rows out, keeps the numbers of the others and says so', async () => {
    const path = join(folder, 'deleted.shp')
    const rows = [1, 2, 3].map((id) => ({ shape: { parts: [[id, id]] }, values: [id], isDeleted: id === 2 }))
    writeShapefile(path, { shapeType: 1, fields: [{ name: 'id', type: 'N', width: 3 }], rows })
    const read = await readLayer(shapefile, path)
    assert.equal(read.layer.featureCount, 2)
    assert.deepEqual(
      read.rows.map(({ row, geometry, values }) => [row, geometry, values[0]]),
      [
        [1, 'POINT (1 1)', 1],
        [3, 'POINT (3 3)', 3],
      ],
    )
    assert.deepEqual(
      read.layer.messages.map((message) => [message.level, message.code]),
      [['info', 'deleted-rows']],
    )
  })

  it('makes the names of fields unique', async () => {
    const fields = ['a', 'a', '', 'a'].map((name) => ({ name, type: 'C', width: 3 }))
    const { layer } = await readLayer(shapefile, write(fields, [['1', '2', '3', '4']]))
    assert.deepEqual(
      layer.schema.attributes.map((attribute) => attribute.name),
      ['a', 'a0', 'field_3', 'a1'],
    )
    assert.equal(layer.schema.attributes[1]?.source, 'a')
  })
})

describe('dBASE encodings', () => {
  const text = { type: 'C', width: 12 }

  it('takes the .cpg first, then the language driver', async () => {
    const bytes = iconv.encode('Москва', 'cp866')
    assert.deepEqual((await valuesOf(text, [bytes], { cpg: 'OEM 866', languageDriver: 87 })).values, [
      'Москва',
    ])
    assert.deepEqual((await valuesOf(text, [bytes], { languageDriver: 38 })).values, ['Москва'])
  })

  it('without either takes UTF-8 where every text is, otherwise Windows-1252 with a message', async () => {
    const unicode = await valuesOf(text, [iconv.encode('Zürich', 'utf8')])
    assert.deepEqual(
      [unicode.values, unicode.layer.charset, unicode.layer.messages],
      [['Zürich'], 'UTF-8', []],
    )
    const ansi = await valuesOf(text, [iconv.encode('Zürich €', 'win1252')])
    assert.deepEqual([ansi.values, ansi.layer.charset], [['Zürich €'], 'windows-1252'])
    assert.deepEqual(
      ansi.layer.messages.map((message) => message.code),
      ['charset-assumed'],
    )
  })

  it('warns of a .cpg that is not known and goes on', async () => {
    const { values, layer } = await valuesOf(text, ['abc'], { cpg: 'klingon' })
    assert.deepEqual(values, ['abc'])
    assert.deepEqual(
      layer.messages.map((message) => message.code),
      ['unknown-charset'],
    )
  })

  it('lets the charset option win, and refuses one that is not known', async () => {
    const path = write([{ name: 'name', ...text }], [[iconv.encode('東京', 'shift_jis')]], { cpg: 'UTF-8' })
    const { layer, rows } = await readLayer(shapefile, path, { charset: 'Shift_JIS' })
    assert.deepEqual([layer.charset, rows[0]?.values], ['Shift_JIS', ['東京']])
    await assert.rejects(readLayer(shapefile, path, { charset: 'klingon' }), { code: 'unknown-charset' })
  })

  it('rejects a text that is not in the declared encoding', async () => {
    const { values, rejects } = await valuesOf(text, ['ok', Uint8Array.of(0x41, 0xff, 0x42)], {
      cpg: 'UTF-8',
    })
    assert.deepEqual(values, ['ok'])
    assert.match(rejects[0]?.reason ?? '', /is not UTF-8 text/)
  })

  it('drops what is left of a character that the field was too short for', async () => {
    const cut = Buffer.from('abcdefghijké').subarray(0, 12)
    const { values, layer } = await valuesOf(text, [cut])
    assert.deepEqual([values, layer.charset], [['abcdefghijk'], 'UTF-8'])
  })
})

describe('dBASE headers that lie', () => {
  const path = (change: (bytes: Buffer) => Buffer | undefined): string => {
    const file = write(
      [
        { name: 'id', type: 'N', width: 5 },
        { name: 'name', type: 'C', width: 6 },
      ],
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ],
    )
    const dbf = file.replace('.shp', '.dbf')
    const bytes = readFileSync(dbf)
    writeFileSync(dbf, change(bytes) ?? bytes)
    return file
  }
  const ids = async (file: string) => {
    const { layer, rows } = await readLayer(shapefile, file)
    return {
      ids: rows.map((row) => row.values[0]),
      codes: layer.messages.map((message) => message.code),
      layer,
    }
  }

  it('reads all rows where the header says fewer', async () => {
    const read = await ids(path((bytes) => void bytes.writeUInt32LE(0, 4)))
    assert.deepEqual([read.ids, read.codes], [[1, 2, 3], ['wrong-dbf-header']])
  })

  it('reads the rows that are there where the header says more', async () => {
    const read = await ids(path((bytes) => void bytes.writeUInt32LE(4_000_000_000, 4)))
    assert.deepEqual([read.ids, read.codes], [[1, 2, 3], ['wrong-dbf-header']])
  })

  it('counts header and record length itself where they do not fit', async () => {
    const header = await ids(path((bytes) => void bytes.writeUInt16LE(60_000, 8)))
    assert.deepEqual([header.ids, header.codes], [[1, 2, 3], ['wrong-dbf-header']])
    const record = await ids(path((bytes) => void bytes.writeUInt16LE(5, 10)))
    assert.deepEqual([record.ids, record.codes], [[1, 2, 3], ['wrong-dbf-header']])
  })

  it('refuses a table that is cut off', async () => {
    await assert.rejects(ids(path((bytes) => bytes.subarray(0, -13))), {
      code: 'truncated',
      message: /3 rows.*2 are there/,
    })
    await assert.rejects(ids(path((bytes) => bytes.subarray(0, 40))), { name: 'FormatError' })
    await assert.rejects(ids(path(() => Buffer.alloc(0))), { code: 'truncated' })
  })

  it('refuses a list of fields that is none', async () => {
    await assert.rejects(ids(path((bytes) => bytes.fill(0xee, 32))), { code: 'bad-dbf' })
  })

  it('reads null attributes where rows are missing and null geometries where shapes are', async () => {
    const few = path((bytes) => {
      bytes.writeUInt32LE(2, 4)
      return bytes.subarray(0, -13)
    })
    const read = await ids(few)
    assert.deepEqual([read.ids, read.codes], [[1, 2, null], ['rows-missing']])
    const file = write([{ name: 'id', type: 'N', width: 5 }], [[1], [2]])
    const dbf = readFileSync(file.replace('.shp', '.dbf'))
    dbf.writeUInt32LE(3, 4)
    writeFileSync(file.replace('.shp', '.dbf'), Buffer.concat([dbf.subarray(0, -1), Buffer.from('     3')]))
    const { layer, rows } = await readLayer(shapefile, file)
    assert.equal(layer.featureCount, 3)
    assert.deepEqual(rows[2], { row: 3, geometry: null, values: [3] })
    assert.deepEqual(
      layer.messages.map((message) => message.code),
      ['shapes-missing'],
    )
  })
})
