import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { findTrap, mayThreadsRead } from './traps.ts'

const fixture = join(import.meta.dirname, '../../../tests/fixtures/geopackage/stations.gpkg')

/** Returns the result of the guards for a database created by these statements. */
function judge(t: TestContext, ...statements: string[]): { trap: string | undefined; isPlain: boolean } {
  const path = join(temporaryFolder(t), 'x.gpkg')
  const db = new DatabaseSync(path, { defensive: false })
  db.exec('CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, n INTEGER)')
  for (const statement of statements) db.exec(statement)
  const trap = findTrap(db)
  db.close()
  return { trap, isPlain: mayThreadsRead(path) }
}

const plain: [string, string][] = [
  [
    'defaults, checks and casts',
    "CREATE TABLE u (a TEXT DEFAULT ('x'), b INT CHECK (CAST(b AS INTEGER) > 0))",
  ],
  ['an index', 'CREATE INDEX i ON t (n)'],
  ['an R*Tree', 'CREATE VIRTUAL TABLE "rtree_t_geom" USING rtree(id, minx, maxx, miny, maxy)'],
  [
    'the triggers of an R*Tree',
    'CREATE TRIGGER "rtree_t_geom_update6" AFTER DELETE ON t BEGIN DELETE FROM t; END',
  ],
  [
    'the triggers of a row count',
    'CREATE TRIGGER trigger_insert_feature_count_t AFTER INSERT ON t BEGIN SELECT 1; END',
  ],
]

const traps: [string, string][] = [
  [
    'a view that says it is a table',
    `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIEW v AS SELECT 1')`,
  ],
  ['a view', 'CREATE VIEW v AS SELECT * FROM t, t'],
  ['a generated column', 'CREATE TABLE g (a INT, b BLOB GENERATED ALWAYS AS (zeroblob(400000000)))'],
  ['a generated column in short', 'CREATE TABLE g (a INT, b as(zeroblob(400000000)))'],
  ['a generated column behind comments', 'CREATE TABLE g (a INT, b AS/* x */\n--y\n (zeroblob(9)))'],
  [
    'a generated column behind what looks like a comment',
    "CREATE TABLE g (a DEFAULT '--', b AS (zeroblob(9)))",
  ],
  ['another virtual table', 'CREATE VIRTUAL TABLE f USING fts5(a)'],
  ['a virtual table that says rtree', 'CREATE VIRTUAL TABLE f USING fts5("x USING rtree(")'],
  ['a trigger', 'CREATE TRIGGER evil AFTER INSERT ON t BEGIN DELETE FROM t; END'],
  [
    'a trigger of another table',
    'CREATE TRIGGER rtree_other_insert AFTER INSERT ON t BEGIN DELETE FROM t; END',
  ],
]

describe('the guard of threads', () => {
  for (const [what, statement] of plain) {
    it(`lets them read ${what}`, (t) => {
      assert.deepEqual(judge(t, statement), { trap: undefined, isPlain: true })
    })
  }
  for (const [what, statement] of traps) {
    it(`keeps them from ${what}`, (t) => {
      const { trap, isPlain } = judge(t, statement)
      assert.notEqual(trap, undefined)
      assert.equal(isPlain, false)
    })
  }

  it('lets them read what other programs write', () => {
    assert.equal(mayThreadsRead(fixture), true)
  })

  it('finds a trap behind many tables', (t) => {
    const tables = Array.from({ length: 500 }, (_, n) => `CREATE TABLE "${'x'.repeat(n)}_${n}" (a INT)`)
    assert.equal(judge(t, 'BEGIN', ...tables, 'COMMIT').isPlain, true)
    assert.equal(judge(t, 'BEGIN', ...tables, 'CREATE VIEW v AS SELECT 1', 'COMMIT').isPlain, false)
  })

  it('keeps them from what it cannot tell', (t) => {
    const path = join(temporaryFolder(t), 'wal.gpkg')
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a INT)')
    assert.equal(mayThreadsRead(path), false)
    db.close()
    assert.equal(mayThreadsRead(path), true)
    assert.equal(mayThreadsRead(import.meta.filename), false)
    assert.equal(mayThreadsRead(`${path}.gone`), false)
  })
})
