import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkFilter } from '../../../src/filters/check-filter.ts'
import { parseCql2Text } from '../../../src/filters/cql2-text.ts'
import { rowFilter } from '../../../src/filters/row-filter.ts'
import { createGeoPackageStore } from '../../../src/stores/geopackage/geopackage-store.ts'
import type { VectorStore } from '../../../src/stores/store.ts'
import type { ArbitraryCalculation, Calculated, CalculatedRow } from '../../support/arbitrary-calculations.ts'
import { someCalculations } from '../../support/arbitrary-calculations.ts'
import { batchesOf, rowsOf, schemaOf } from '../../support/batches.ts'
import { makePostgisStore } from '../../support/postgis-store.ts'
import { seededNumbers } from '../../support/seeded-numbers.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { loadRows, never } from '../store-session.ts'

/** Columns are called as the operands in SQL are. */
const schema = schemaOf({
  n: 'int32',
  a: 'int64',
  i: 'int16',
  b: 'int32',
  f: 'float64',
  s: 'float32',
  dec: 'decimal',
  name: 'text',
})
const limits = {
  a: [0n, 1n, -7n, 9007199254740993n, 9223372036854775807n, -9223372036854775808n, null],
  i: [0, 3, -4, 32767, -32768, null],
  b: [2, -1, 0, 2147483647, -2147483648, 12, null],
  f: [0, 0.1, -2.5, 1e149, -1e200, 1e-140, 5e-324, 1.7976931348623157e308, 0.30000000000000004, null],
  s: [0.5, -0.1, 3.4e38, 1e-40, 7, null],
  dec: ['0.1', '-12345678901234567890.5', '3', '0.000000000000000000000000000000000001', null],
  name: ['', 'Ulm', 'München', null],
}

function makeRows(count: number): CalculatedRow[] {
  const random = seededNumbers(11)
  return Array.from({ length: count }, (_, at) => {
    const row: CalculatedRow = { n: at }
    for (const [name, values] of Object.entries(limits))
      row[name] = values[Math.floor(random() * values.length)] ?? null
    if (random() < 0.5) row['f'] = (random() - 0.5) * 10 ** Math.floor(random() * 12)
    if (random() < 0.5) row['b'] = Math.floor((random() - 0.5) * 40)
    if (typeof row['s'] === 'number') row['s'] = Math.fround(row['s'])
    return row
  })
}

const data = makeRows(48)
const rows = data.map((row) => ({ values: schema.attributes.map(({ name }) => row[name] ?? null) }))

/** That a calculation has this value in each row. */
function equality(calculation: ArbitraryCalculation, value: (row: CalculatedRow) => Calculated): string {
  return data
    .map((row) => {
      const expected = value(row)
      const is = expected === undefined ? 'IS NULL' : `= ${expected}`
      return `(n = ${row['n']} AND ${calculation.text} ${is})`
    })
    .join(' OR ')
}

async function foundIn(store: VectorStore, text: string): Promise<number[]> {
  const table = await store.findTable('layer')
  assert.ok(table)
  const filter = checkFilter(parseCql2Text(text), table.schema)
  const found: number[] = []
  for await (const { batch } of store.readFeatures({ table: 'layer', filter, limit: 1000, offset: 0 }, never))
    found.push(...rowsOf(batch).map(({ values }) => Number(values[0])))
  return found.toSorted((a, b) => a - b)
}

async function foundInBatch(text: string): Promise<number[]> {
  const matches = rowFilter(checkFilter(parseCql2Text(text), schema), schema)
  const found: number[] = []
  for await (const batch of batchesOf(schema, rows))
    for (let row = 0; row < batch.rowCount; row += 1) if (matches(batch, row)) found.push(row)
  return found
}

describe('arithmetic of filters', () => {
  it('has the same value in each row in PostGIS, in a GeoPackage and in memory', async (t) => {
    const { store: table, dispose } = await makePostgisStore()
    t.after(dispose)
    t.after(() => table.close())
    const path = join(temporaryFolder(t), 'rows.gpkg')
    const file = createGeoPackageStore({ path }, { findDefinition: () => undefined })
    t.after(() => file.close())
    for (const store of [table, file]) await loadRows(store, { schema, rows })
    const all = data.map(({ n }) => Number(n))
    let [values, empty] = [0, 0]
    for (const calculation of someCalculations(84)) {
      const text = equality(calculation, calculation.value)
      const present = data.filter((row) => calculation.value(row) !== undefined).length
      values += present
      empty += data.length - present
      assert.deepEqual(await foundInBatch(text), all, `in memory: ${calculation.text}`)
      // A GeoPackage holds decimals as texts, with which nothing is calculated.
      const isInFile = !/\bdec\b/.test(text)
      if (isInFile) assert.deepEqual(await foundIn(file, text), all, `GeoPackage: ${calculation.text}`)
      assert.deepEqual(await foundIn(table, text), all, `PostGIS: ${calculation.text}`)
      const order = `${calculation.text} < ${calculation.isInteger ? 'b' : 'f'} * 2`
      const expected = await foundInBatch(order)
      if (isInFile) assert.deepEqual(await foundIn(file, order), expected, order)
      assert.deepEqual(await foundIn(table, order), expected, order)
    }
    assert.ok(values > 1000 && empty > 1000, `${values} values and ${empty} without one prove little`)
  })
})
