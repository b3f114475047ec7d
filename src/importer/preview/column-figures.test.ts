import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import type { Row, Value } from '../../../tests/support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import type { Schema } from '../../geo/schema.ts'
import { FigureCounter } from './column-figures.ts'

async function figuresOf(schema: Schema, rows: Iterable<Row>) {
  const counter = new FigureCounter(schema)
  for await (const batch of batchesOf(schema, rows)) counter.add(batch)
  return counter.figures(true)
}

function* valuesOf(count: number, valueAt: (at: number) => Value): Generator<Row> {
  for (let at = 0; at < count; at += 1) yield { values: [valueAt(at)] }
}

describe('figures of columns', () => {
  it('are those of a model that holds every value', async () => {
    const random = seededRandom(3)
    const values = Array.from({ length: 5000 }, () =>
      random() < 0.1 ? null : random() < 0.1 ? '' : `näme ${Math.floor(random() ** 3 * 900)}`,
    )
    const { columns } = await figuresOf(
      schemaOf({ name: 'text' }),
      values.map((value) => ({ values: [value] })),
    )
    const counts = new Map<string, number>()
    for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1)
    const sorted = [...counts.keys()].sort()
    const frequent = [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    assert.deepEqual(columns[0], {
      name: 'name',
      type: 'text',
      count: 5000,
      empty: values.filter((value) => !value).length,
      distinct: counts.size,
      min: sorted[0],
      max: sorted.at(-1),
      frequent: frequent.slice(0, 10),
      exact: true,
      estimated: [],
    })
  })

  it('take numbers by their size, and equal ones as one value however they are written', async () => {
    const decimals = await figuresOf(
      schemaOf({ amount: 'decimal' }),
      valuesOf(6, (at) => ['10', '9.50', '9.5', '-0.0', '0', '12345678901234567890.1'][at] ?? null),
    )
    const [{ distinct, min, max, frequent } = {}] = decimals.columns as Partial<
      (typeof decimals.columns)[0]
    >[]
    assert.deepEqual([distinct, min, max], [4, '0', '12345678901234567890.1'])
    assert.deepEqual(frequent?.slice(0, 2), [
      { value: '0', count: 2 },
      { value: '9.5', count: 2 },
    ])
    const floats = await figuresOf(
      schemaOf({ share: 'float64' }),
      valuesOf(5, (at) => [Number.NaN, 0, -0, Number.NaN, 2 ** 60][at] ?? null),
    )
    assert.deepEqual(
      floats.columns.map((column) => [column.distinct, column.min, column.max, column.empty]),
      [[3, 0, 2 ** 60, 0]],
    )
    const large = await figuresOf(
      schemaOf({ id: 'int64' }),
      valuesOf(2, (at) => [2n ** 60n + 1n, -5n][at] ?? null),
    )
    assert.deepEqual([large.columns[0]?.min, large.columns[0]?.max], [-5, String(2n ** 60n + 1n)])
    const days = await figuresOf(
      schemaOf({ day: 'date' }),
      valuesOf(2, (at) => at * 365),
    )
    assert.deepEqual([days.columns[0]?.min, days.columns[0]?.max], ['1970-01-01', '1971-01-01'])
  })

  it('of too many different values are estimates that say so; what is frequent is found all the same', async () => {
    const rows = 300_000
    const { columns } = await figuresOf(
      schemaOf({ id: 'text' }),
      valuesOf(rows, (at) => (at % 4 === 0 ? 'often' : `only once ${at}`)),
    )
    const [column] = columns
    const distinct = (rows * 3) / 4 + 1
    assert.ok(Math.abs((column?.distinct ?? 0) - distinct) < distinct * 0.03, String(column?.distinct))
    assert.deepEqual([column?.exact, column?.estimated], [false, ['distinct', 'frequent']])
    assert.deepEqual([column?.count, column?.empty, column?.min], [rows, 0, 'often'])
    assert.equal(column?.frequent.length, 1)
    const { value, count = 0 } = column?.frequent[0] ?? {}
    assert.equal(value, 'often')
    assert.ok(count <= rows / 4 && count > rows / 4 - 100, String(count))
  })

  it('cut long texts, and tell them apart all the same', async () => {
    const long = 'ä'.repeat(5000)
    const { columns } = await figuresOf(
      schemaOf({ text: 'text' }),
      valuesOf(3, (at) => long + (at % 2)),
    )
    assert.equal(columns[0]?.distinct, 2)
    assert.deepEqual(columns[0]?.frequent[0], { value: `${'ä'.repeat(100)}…`, count: 2 })
  })

  it('of geometries are their types, and where they lie', async () => {
    const { geometry, columns } = await figuresOf(schemaOf({}, 'Geometry'), [
      { values: [], geometry: wkb('Point', [1, 2]) },
      { values: [], geometry: null },
      {
        values: [],
        geometry: wkb('LineString', [
          [3, -1],
          [5, 6],
        ]),
      },
    ])
    assert.deepEqual(columns, [])
    assert.deepEqual(geometry, {
      name: 'geom',
      type: 'Geometry',
      count: 3,
      empty: 1,
      bounds: [1, -1, 5, 6],
      types: [
        { value: 'Point', count: 1 },
        { value: 'LineString', count: 1 },
      ],
    })
  })
})
