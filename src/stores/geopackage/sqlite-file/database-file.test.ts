import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DatabaseFile } from './database-file.ts'
import { varintBytes, writeVarint } from './varint.ts'

/** Writes blobs under the given rowids and opens the finished file with SQLite. */
function written(rows: [number, Uint8Array][], read: (db: DatabaseSync) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  const path = join(folder, 'x.db')
  try {
    const file = new DatabaseFile(path)
    const table = file.table('t', 'id INTEGER PRIMARY KEY, v')
    const other = file.table('u', 'id INTEGER PRIMARY KEY')
    for (const [rowid, value] of rows) {
      const head = new Uint8Array(12)
      const end = writeVarint(head, 2, value.length * 2 + 12)
      head[0] = end
      table.startRow(rowid, end + value.length)
      table.bytes.set(head.subarray(0, end), table.at)
      table.bytes.set(value, table.at + end)
      table.endRow()
      other.startRow(rowid, 2)
      other.bytes.set([2, 0], other.at)
      other.endRow()
    }
    file.finish()
    file.close()
    const db = new DatabaseSync(path)
    read(db)
    db.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const check = (db: DatabaseSync): unknown => db.prepare('pragma integrity_check').get()?.['integrity_check']

describe('DatabaseFile', () => {
  it('writes what SQLite finds whole, of any length', () => {
    const value = fc.oneof(
      { weight: 8, arbitrary: fc.nat(300) },
      { weight: 2, arbitrary: fc.integer({ min: 32_700, max: 32_800 }) },
      { weight: 1, arbitrary: fc.nat(200_000) },
    )
    const row = fc.tuple(fc.integer({ min: 1, max: 100_000 }), value)
    const property = fc.property(fc.array(row, { maxLength: 60 }), (steps) => {
      let rowid = 0
      const rows = steps.map(([gap, length]): [number, Uint8Array] => {
        rowid += gap
        return [rowid, new Uint8Array(length).fill(rowid)]
      })
      written(rows, (db) => {
        assert.equal(check(db), 'ok')
        const found = db.prepare('select id, v from t').all()
        assert.deepEqual(
          found.map(({ id, v }) => [id, v]),
          rows,
        )
        assert.equal(db.prepare('select count(*) n from u').get()?.['n'], rows.length)
      })
    })
    fc.assert(property, { numRuns: 40 })
  })

  it('writes trees of three levels, and lets SQLite go on writing', () => {
    const rows = Array.from({ length: 4500 }, (_, i): [number, Uint8Array] => [i + 1, new Uint8Array(20_000)])
    written(rows, (db) => {
      assert.equal(check(db), 'ok')
      db.exec('insert into t values (null, 5); delete from t where id < 3000')
      assert.equal(check(db), 'ok')
      assert.equal(db.prepare('select count(*) n from t').get()?.['n'], 1502)
    })
  })

  it('leaves a file broken off that SQLite does not open', () => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
    const file = new DatabaseFile(join(folder, 'x.db'))
    file.table('t', 'id INTEGER PRIMARY KEY')
    file.close()
    const db = new DatabaseSync(join(folder, 'x.db'))
    assert.deepEqual(db.prepare('select * from sqlite_schema').all(), [])
    db.close()
    rmSync(folder, { recursive: true })
  })
})

describe('writeVarint', () => {
  it('writes as many bytes as said, and the value is read back', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (value) => {
        const bytes = new Uint8Array(10)
        const end = writeVarint(bytes, 0, value)
        assert.equal(end, varintBytes(value))
        const read = bytes.subarray(0, end).reduce((sum, byte) => sum * 128n + BigInt(byte & 127), 0n)
        assert.equal(read, BigInt(value))
        assert.ok(bytes.subarray(0, end - 1).every((byte) => byte >= 128) && (bytes[end - 1] ?? 128) < 128)
      }),
    )
  })
})
