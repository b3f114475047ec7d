import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from '../../../tests/support/until.ts'
import { beginTableChange } from './change-file.ts'
import { openForLoading, openForReading } from './connections.ts'
import { fingerprintDatabaseNow } from './database-fingerprint.ts'
import { closeQuietly, databaseState, serverWrite } from './server-writes.ts'
import { Writer } from './writer.ts'

function createFile(t: TestContext): { path: string; db: DatabaseSync } {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-own-writes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'a.gpkg')
  const db = new DatabaseSync(path)
  t.after(() => db.close())
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)')
  return { path, db }
}

const otherProcess = `
const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 0 })
try {
  const row = db.prepare(process.argv[2]).get()
  console.log(row === undefined ? 'done' : JSON.stringify(row))
} catch (error) {
  console.log(error.message)
}`

/** Runs SQL in another process and returns its output. */
function askElsewhere(path: string, sql: string): string {
  return execFileSync(process.execPath, ['-e', otherProcess, path, sql], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

describe('looking at a database', () => {
  it('leaves a write of ours alone in the file, whatever other processes want', async (t) => {
    const { path, db } = createFile(t)
    db.exec('BEGIN IMMEDIATE')
    await serverWrite(path, db, () => {
      assert.equal(askElsewhere(path, 'BEGIN IMMEDIATE'), 'database is locked')
      db.exec('COMMIT')
    })
    assert.equal(askElsewhere(path, 'BEGIN IMMEDIATE'), 'done')
  })

  it('sees the same at once as when it waits, with and without a log', async (t) => {
    const { path, db } = createFile(t)
    const same = async (): Promise<string> => {
      const { text } = await databaseState(path)
      assert.equal(fingerprintDatabaseNow(path).text, text)
      return text
    }
    const first = await same()
    db.exec('INSERT INTO t VALUES (3)')
    const second = await same()
    assert.notEqual(second, first)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    assert.notEqual(await same(), second)
    assert.equal(
      fingerprintDatabaseNow(`${path}-nowhere`).text,
      (await databaseState(`${path}-nowhere`)).text,
    )
  })

  it('leaves readers the state that they look at', async (t) => {
    const { path, db } = createFile(t)
    const reader = openForReading(path)
    t.after(() => reader.close())
    reader.exec('BEGIN')
    const count = reader.prepare('SELECT count(*) AS n FROM t')
    assert.equal(count.get()?.['n'], 1)
    db.exec('INSERT INTO t VALUES (2)')
    await databaseState(path)
    assert.match(askElsewhere(path, 'PRAGMA wal_checkpoint(TRUNCATE)'), /"busy":1/)
    assert.equal(count.get()?.['n'], 1)
  })
})

describe('writes of ours that overlap', () => {
  it('are no change by others, whoever moves the log meanwhile', async (t) => {
    const { path } = createFile(t)
    const { text: first } = await databaseState(path)
    const isOurs = async (): Promise<boolean> => {
      const { text, sameAs } = await databaseState(path)
      return text === first || sameAs?.has(first) === true
    }
    // Tries repeatedly to move the log.
    const writer = new Writer(path, 5)
    t.after(() => writer.close())
    await writer.keep(await writer.take({ isNew: true }))
    const other = openForLoading(path)
    t.after(() => other.close())
    // Changes that do not fit into memory are written to the log before the commit.
    other.exec('PRAGMA cache_size = 10')
    const change = await beginTableChange(path, other, AbortSignal.timeout(patienceMs))
    const insert = other.prepare('INSERT INTO t VALUES (?)')
    for (let row = 0; row < 200; row += 1) insert.run('x'.repeat(4000))
    for (let round = 0; round < 5; round += 1) {
      await sleep(10)
      assert.ok(await isOurs(), 'before the commit')
    }
    change.commit()
    for (let round = 0; round < 10; round += 1) {
      assert.ok(await isOurs(), 'after the commit')
      await sleep(10)
    }
  })

  it('do not hide a change by others', async (t) => {
    const { path, db } = createFile(t)
    const { text: first } = await databaseState(path)
    const other = openForLoading(path)
    t.after(() => other.isOpen && other.close())
    const change = await beginTableChange(path, other, AbortSignal.timeout(patienceMs))
    other.exec('INSERT INTO t VALUES (2)')
    change.commit()
    assert.equal((await databaseState(path)).sameAs?.has(first), true)
    db.exec('INSERT INTO t VALUES (3)')
    const { text: second, sameAs } = await databaseState(path)
    assert.equal(sameAs?.has(first), false)
    db.exec('INSERT INTO t VALUES (4)')
    closeQuietly(path, () => other.close())
    assert.equal((await databaseState(path)).sameAs?.has(second), false)
  })
})
