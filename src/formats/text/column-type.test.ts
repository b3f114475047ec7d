import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { csv } from '../csv/csv.ts'

const write = temporaryFiles()

/** Returns the type of a column with these cells, and its values. */
async function column(...cells: string[]): Promise<[string | undefined, ...unknown[]]> {
  const { layer, rows } = await readLayer(
    csv,
    write('column.csv', `n,v\n${cells.map((cell) => `1,${cell}\n`).join('')}`),
  )
  return [layer.schema.attributes[1]?.type, ...rows.map((row) => row.values[1])]
}

async function typeOf(...cells: string[]): Promise<string | undefined> {
  return (await column(...cells))[0]
}

/** Returns types and values of a whole file. */
async function table(text: string): Promise<{ types: (string | undefined)[]; values: unknown[][] }> {
  const { layer, rows, rejects } = await readLayer(csv, write('table.csv', text))
  assert.deepEqual(rejects, [])
  return { types: layer.schema.attributes.map(({ type }) => type), values: rows.map(({ values }) => values) }
}

describe('CSV types of cells in quotes', () => {
  const header = '"id","code","pop","x","day","on","note"\n'
  const rows = '"1","007","9007199254740993","1.5","2024-02-29","true","a"\n"2","12","5","","","",""\n'

  it('are judged without quotes where a file quotes every cell', async () => {
    const { types, values } = await table(header + rows)
    assert.deepEqual(types, ['int32', 'text', 'int64', 'float64', 'date', 'boolean', 'text'])
    assert.deepEqual(values, [
      [1, '007', 9007199254740993n, 1.5, 19782, true, 'a'],
      [2, '12', 5n, null, null, null, ''],
    ])
    assert.deepEqual((await table(header.replaceAll('"', '') + rows)).types, types)
    assert.deepEqual((await table(header + rows.replaceAll('""', ''))).types, types)
  })

  it('are text where a file quotes some', async () => {
    assert.deepEqual((await table(`${header}${rows}3,"1","2","3","2024-01-01","true","b"\n`)).types, [
      ...Array.from({ length: 7 }, () => 'text'),
    ])
    const { types, values } = await table('id,code,pop\n1,"12",5\n2,"13",""\n')
    assert.deepEqual(types, ['int32', 'text', 'int32'])
    assert.deepEqual(values, [
      [1, '12', 5],
      [2, '13', null],
    ])
  })

  it('are the same as without quotes, whatever the cells', async () => {
    const cell = fc.oneof(
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom('007', 'true', '2024-02-29', '2024-02-29T12:00:00Z', 'abc', '1E5', '-0', '+1', '5.'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), async (cells) => {
        const plain = cells.map((row) => row.join(',')).join('\n')
        const quotedCells = cells.map((row) => row.map((one) => `"${one}"`).join(',')).join('\n')
        assert.deepEqual(await table(`a,b\n${quotedCells}\n`), await table(`a,b\n${plain}\n`))
      }),
      { numRuns: 60 },
    )
  })

  it('are geometries and null for blanks in quotes', async () => {
    const { rows: read } = await readLayer(
      csv,
      write('wkt.csv', '"geom","n"\n"POINT (1 2)","1"\n"  ","2"\n"","3"\n'),
    )
    assert.deepEqual(
      read.map(({ geometry, values }) => [geometry, ...values]),
      [
        ['POINT (1 2)', 1],
        [null, 2],
        [null, 3],
      ],
    )
  })
})

describe('CSV types', () => {
  it('are integers of the size that holds all cells', async () => {
    assert.deepEqual(await column('1', '', '-2147483648'), ['int32', 1, null, -2147483648])
    assert.deepEqual(await column('1', '2147483648'), ['int64', 1n, 2147483648n])
    assert.deepEqual(await column('9223372036854775807', '-9223372036854775808', '9007199254740993'), [
      'int64',
      9223372036854775807n,
      -9223372036854775808n,
      9007199254740993n,
    ])
  })

  it('are doubles for up to 15 digits', async () => {
    assert.deepEqual(await column('1', '-2.50', '1.5E3', '1e-7', '0.000001'), [
      'float64',
      1,
      -2.5,
      1500,
      1e-7,
      0.000001,
    ])
    assert.deepEqual(await column('123456789.012345', '-0.0'), ['float64', 123456789.012345, -0])
  })

  const texts = {
    'a leading zero': ['08123', '1'],
    'a plus sign': ['+1', '2'],
    'a minus zero': ['-0', '1'],
    'more than 15 digits with a point': ['1234567890.1234567'],
    'an integer beyond int64': ['9223372036854775808'],
    'a long integer beside a point': ['9007199254740993', '0.5'],
    'a code like 1E5': ['1E5', '2'],
    'a number beyond doubles': ['1.0e999'],
    'a number that would vanish': ['1.0e-999'],
    'a thousands separator': ["1'000", '2'],
    'a point without digits': ['5.', '.5'],
    hexadecimal: ['0x1F'],
    'not a number': ['NaN', '1'],
    infinity: ['-inf'],
    'a quoted number': ['1', '"2"'],
    'mixed kinds': ['1', 'true'],
    'booleans in two spellings': ['true', 'FALSE'],
    'words for booleans': ['yes', 'no'],
    'a date that is none': ['2024-02-30'],
    'dates in two forms': ['2024-02-28', '28.02.2024'],
    'a date beside a timestamp': ['2024-02-28', '2024-02-28T00:00:00Z'],
    'a timestamp without zone beside one with': ['2024-02-28T10:00:00', '2024-02-28T10:00:00Z'],
    'an offset without a colon': ['2024-02-28T10:00:00+0200'],
    'an offset of a day': ['2024-02-28T10:00:00+24:00'],
    'a time beside a timestamp': ['10:00', '2024-02-28T10:00:00Z'],
    'an hour of one digit': ['9:30'],
    'a minute beyond the hour': ['12:60'],
    'timestamps in two forms': ['2024-02-28T10:00:00Z', '2024-02-28 10:00:00Z'],
    'a fraction finer than microseconds': ['2024-02-28T10:00:00.1234567Z'],
    'hour 24': ['2024-02-28T24:00:00Z'],
  }
  for (const [name, cells] of Object.entries(texts)) {
    it(`stay text for ${name}`, async () => {
      const [type, ...values] = await column(...cells)
      assert.equal(type, 'text')
      assert.deepEqual(
        values,
        cells.map((cell) => cell.replaceAll('"', '')),
      )
    })
  }

  it('are text where no cell has a value', async () => {
    assert.deepEqual(await column('', ''), ['text', null, null])
  })

  it('are booleans in one spelling', async () => {
    assert.deepEqual(await column('true', 'false'), ['boolean', true, false])
    assert.deepEqual(await column('TRUE', '', 'FALSE'), ['boolean', true, null, false])
    assert.equal(await typeOf('True'), 'boolean')
  })

  it('are dates', async () => {
    assert.deepEqual(await column('1970-01-01', '2024-02-29', '0001-01-01', '9999-12-31'), [
      'date',
      0,
      19782,
      -719162,
      2932896,
    ])
  })

  it('are timestamps of UTC in one form, to the microsecond', async () => {
    const cells = ['2024-02-28T10:00:00Z', '1969-12-31T23:59:59.5Z', '9999-12-31T23:59:59.999999Z']
    const micros = [1709114400000000n, -500000n, 253402300799999999n]
    assert.deepEqual(await column(...cells), ['timestamp', ...micros])
    assert.equal(await typeOf('2024-02-28 10:00:00+00:00'), 'timestamp')
  })

  it('agree with the platform on every day', async () => {
    const day = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    const days = fc.sample(day, 2000)
    const [type, ...values] = await column(...days.map((date) => date.toISOString().slice(0, 10)))
    assert.equal(type, 'date')
    assert.deepEqual(
      values,
      days.map((date) => Math.floor(date.getTime() / 86_400_000)),
    )
  })

  it('give back the value of every cell that is not text', async () => {
    const cell = fc.oneof(
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.tuple(fc.integer(), fc.nat(999999)).map(([a, b]) => `${a}.${b}`),
      fc.string({ unit: fc.constantFrom(...'0123456789.-+eE'), minLength: 1, maxLength: 20 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 4 }), async (cells) => {
        const [type, ...values] = await column(...cells)
        for (const [index, text] of cells.entries()) {
          const value = values[index]
          if (type === 'text') assert.equal(value, text)
          else if (type === 'int64') assert.equal(String(value), text)
          else assert.equal(value, Number(text))
        }
      }),
      { numRuns: 500 },
    )
  })
})
