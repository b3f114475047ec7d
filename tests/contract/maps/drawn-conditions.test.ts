import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { seededRandom } from '../../../bench/random.ts'
import type { Expression } from '../../../src/filters/expression.ts'
import { conjunction, disjunction, filterComparisons } from '../../../src/filters/expression.ts'
import { comparison, hasDimension, isNull, likeness, negation } from '../../../src/styles/condition.ts'
import { meetsCondition } from '../../../src/styles/feature-filter.ts'
import { Losses } from '../../../src/styles/losses.ts'
import type { DrawnColumn, SqlDialect } from '../../../src/styles/mapserver/sql-dialect.ts'
import { postgresDialect, sqliteDialect } from '../../../src/styles/mapserver/sql-dialect.ts'
import { conditionSql } from '../../../src/styles/mapserver/write-condition.ts'
import { writeMapServer } from '../../../src/styles/mapserver/write-mapserver.ts'
import { testCluster } from '../../support/postgres.ts'

const draw = seededRandom(20_261_123)
const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T

const texts = [
  '',
  ' ',
  'a',
  'A',
  'Zürich',
  "O'Neil",
  'ab%c',
  'a_c',
  '10',
  ' 7.5 ',
  '1e3',
  '-.5',
  '日本',
  '*[?]',
  'b\\c',
  '"q"',
  'x using unique y',
  '😀',
]
const numbers = [0, -1, 7.5, 10, 1000, 12_345_678]
const columns: readonly (DrawnColumn & { name: string; type: string })[] = [
  { name: 'Straße', column: 'Straße', kind: 'text', type: 'text' },
  { name: 'other', column: 'o"t from', kind: 'text', type: 'text' },
  { name: 'n', column: 'n', kind: 'number', type: 'double precision' },
  { name: 'm', column: 'Max', kind: 'number', type: 'double precision' },
  { name: 'b', column: 'is true', kind: 'boolean', type: 'boolean' },
]

type Row = Record<string, string | number | boolean | null>

function makeRows(count: number): Row[] {
  return Array.from({ length: count }, () => ({
    Straße: draw() < 0.15 ? null : pick(texts),
    other: draw() < 0.15 ? null : pick(texts),
    n: draw() < 0.15 ? null : pick(numbers),
    m: draw() < 0.15 ? null : pick(numbers),
    b: draw() < 0.15 ? null : draw() < 0.5,
  }))
}

function makeAtom(): Expression {
  const property = pick([...columns.map(({ name }) => name), 'absent'])
  const roll = draw()
  if (roll < 0.1) return isNull(property)
  const folds = draw() < 0.3
  if (roll < 0.3 && property !== 'n' && property !== 'm')
    return likeness(property, pick(['%', 'a%', '_', '%c', 'a\\_c', '*[?]', '%ü%', 'A%', "%'%"]), folds)
  const value =
    roll < 0.5
      ? { property: pick(columns).name }
      : pick<string | number | boolean>([...texts, ...numbers, true, false])
  return comparison(pick(filterComparisons), property, value, typeof value === 'string' && folds)
}

function makeCondition(depth: number): Expression {
  if (depth === 0 || draw() < 0.4) return makeAtom()
  if (draw() < 0.3) return negation(makeCondition(depth - 1))
  const conditions = Array.from({ length: Math.floor(draw() * 4) }, () => makeCondition(depth - 1))
  return draw() < 0.5 ? conjunction(conditions) : disjunction(conditions)
}

/** Like `makeCondition`, but half of the conditions are about geometry types. */
function withKinds(depth: number): Expression {
  if (depth === 0 || draw() < 0.3) return draw() < 0.5 ? hasDimension(pick([0, 1, 2] as const)) : makeAtom()
  if (draw() < 0.3) return negation(withKinds(depth - 1))
  const conditions = Array.from({ length: Math.floor(draw() * 4) }, () => withKinds(depth - 1))
  return draw() < 0.5 ? conjunction(conditions) : disjunction(conditions)
}

function literal(value: Row[string] | undefined, isSqlite: boolean): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return isSqlite ? String(Number(value)) : String(value)
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

function insertSql(rows: readonly Row[], isSqlite: boolean): string {
  const values = rows.map(
    (row, at) => `(${[at, ...columns.map(({ name }) => literal(row[name], isSqlite))].join(',')})`,
  )
  const shapes = columns.map(({ column, type }) => `"${column.replaceAll('"', '""')}" ${type}`)
  return `create table drawn (id integer, ${shapes.join(', ')}); insert into drawn values ${values.join(',')};`
}

const rows = makeRows(300)
const conditions = Array.from({ length: 1200 }, (_, at) => makeCondition(at < 600 ? 0 : 3))

function sqlOf(condition: Expression, dialect: SqlDialect): string {
  const table = { dialect, columns: new Map(columns.map((one) => [one.name, one])), geometry: 'geom' }
  return `select id from drawn where ${conditionSql(condition, table, new Losses())} order by id`
}

function expectedRows(condition: Expression): number[] {
  return rows.flatMap((row, at) =>
    meetsCondition(condition, { dimension: 0, get: (name) => row[name] }) ? [at] : [],
  )
}

/** Returns the rows that only one of the two results contains. */
function differences(found: readonly number[], expected: readonly number[]): Row[] {
  return rows.filter((_, at) => found.includes(at) !== expected.includes(at))
}

describe('rules of styles as SQL', () => {
  it('choose the rows that they choose elsewhere, in SQLite', () => {
    const database = new DatabaseSync(':memory:')
    database.exec(insertSql(rows, true))
    for (const condition of conditions) {
      const found = database
        .prepare(sqlOf(condition, sqliteDialect))
        .all()
        .map(({ id }) => Number(id))
      assert.deepEqual(differences(found, expectedRows(condition)), [], JSON.stringify(condition))
    }
  })

  it('choose the rows that they choose elsewhere where they ask for kinds of geometries', () => {
    const database = new DatabaseSync(':memory:')
    database.exec(insertSql(rows, true))
    const byName = new Map(columns.map((one) => [one.name, one]))
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 900; round += 1) {
      const condition = withKinds(3)
      const dimension = pick([1, 2] as const)
      const symbols = [{ kind: 'line' as const, stroke: { color: '#000000', width: 1, opacity: 1 } }]
      const table = { dialect: sqliteDialect, columns: byName, geometry: 'geom', dimension }
      const { parts } = writeMapServer({ rules: [{ condition, symbols }], lost: [] }, table)
      const [part] = parts
      const isRequested = part?.classes[0]?.includes('EXPRESSION') === true
      const sql = `select id from drawn where ${isRequested ? part?.columns[0]?.replace(/ AS c0$/, '') : '1 = 1'} order by id`
      const found =
        part === undefined
          ? []
          : database
              .prepare(sql)
              .all()
              .map(({ id }) => Number(id))
      const expected = rows.flatMap((row, at) =>
        meetsCondition(condition, { dimension, get: (name) => row[name] }) ? [at] : [],
      )
      assert.deepEqual(differences(found, expected), [], JSON.stringify(condition))
      assert.doesNotMatch(String(part?.columns), /ST_GeometryType/)
      const outcome = part === undefined ? 'none' : isRequested ? 'some' : 'all'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    assert.ok(
      ['none', 'some', 'all'].every((one) => (outcomes.get(one) ?? 0) > 50),
      `${[...outcomes]}`,
    )
  })

  describe('in PostgreSQL', () => {
    let client: Client
    before(async () => {
      client = new Client({ connectionString: await (await testCluster()).createDatabase() })
      await client.connect()
      await client.query(insertSql(rows, false))
    })
    after(() => client.end())

    it('choose the rows that they choose elsewhere', async () => {
      for (const condition of conditions) {
        const result = await client.query<{ id: number }>(sqlOf(condition, postgresDialect))
        const found = result.rows.map(({ id }) => id)
        assert.deepEqual(differences(found, expectedRows(condition)), [], JSON.stringify(condition))
      }
    })
  })
})
