import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { fingerprintDatabaseNow } from './database-fingerprint.ts'
import { closeQuietly, databaseState } from './server-writes.ts'
import { seenBeforeRest } from './unfinished-log.ts'

/** Kills the process after these statements, with the file still open. */
const dyingProcess = `
const db = new (require('node:sqlite').DatabaseSync)(process.argv[1])
for (const sql of JSON.parse(process.argv[2])) db.exec(sql)
process.kill(process.pid, 'SIGKILL')`

function dieAfter(path: string, ...statements: string[]): void {
  const { signal, stderr } = spawnSync(process.execPath, [
    '-e',
    dyingProcess,
    path,
    JSON.stringify(statements),
  ])
  assert.equal(signal, 'SIGKILL', String(stderr))
}

/** More data than fit into the memory of the connection. */
const spilling = [
  'PRAGMA cache_size = 10',
  'BEGIN IMMEDIATE',
  `WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 300) INSERT INTO t SELECT hex(zeroblob(1000)) FROM r`,
]

function createFile(test: TestContext): string {
  const path = join(temporaryFolder(test), 'a.gpkg')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)')
  db.close()
  return path
}

describe('a file whose process died in a transaction', () => {
  it('is what it was where its log was empty', async (test) => {
    const path = createFile(test)
    const before = fingerprintDatabaseNow(path).text
    dieAfter(path, ...spilling)
    assert.notEqual(fingerprintDatabaseNow(path).text, before)
    assert.equal((await seenBeforeRest(path))?.(before), true)
    assert.equal((await databaseState(path)).sameAs?.has(before), true)
    assert.equal((await databaseState(path)).sameAs?.has(before), true)
    assert.equal((await databaseState(path)).sameAs?.has('another'), false)
  })

  it('is what it was behind the last commit of its log', async (test) => {
    const path = createFile(test)
    dieAfter(path, 'INSERT INTO t VALUES (2)')
    const before = fingerprintDatabaseNow(path).text
    dieAfter(path, ...spilling)
    assert.equal((await seenBeforeRest(path))?.(before), true)
  })

  it('is what it was where it died moving its log', async (test) => {
    const path = createFile(test)
    dieAfter(path, 'INSERT INTO t VALUES (2)')
    const before = fingerprintDatabaseNow(path).text
    // Depending on the progress of the move: the log pages already in the file change nothing.
    dieAfter(path, 'PRAGMA wal_checkpoint(PASSIVE)')
    const [fileBefore, logBefore] = before.split(' ')
    const [file, log] = fingerprintDatabaseNow(path).text.split(' ')
    assert.notEqual(file, fileBefore)
    assert.equal(log, logBefore)
    assert.equal((await databaseState(path)).sameAs?.has(before), true)
    assert.equal((await databaseState(path)).sameAs?.has('1.2.3.4.5 1.2.3.4.5'), false)

    dieAfter(path, 'INSERT INTO t VALUES (3)', 'PRAGMA wal_checkpoint(PASSIVE)')
    assert.equal((await seenBeforeRest(path))?.(before), false)
  })

  it('is another where it stands in the place of the one whose log was moved', async (test) => {
    const path = createFile(test)
    dieAfter(path, 'INSERT INTO t VALUES (2)')
    const before = fingerprintDatabaseNow(path).text
    copyFileSync(path, `${path}.new`)
    renameSync(`${path}.new`, path)
    assert.equal((await seenBeforeRest(path))?.(before), false)
  })

  it('is what it was where its log had just begun', async (test) => {
    for (const bytes of [32, 12, 1]) {
      const path = createFile(test)
      const before = fingerprintDatabaseNow(path).text
      dieAfter(path, ...spilling)
      truncateSync(`${path}-wal`, bytes)
      assert.notEqual(fingerprintDatabaseNow(path).text, before)
      assert.equal((await databaseState(path)).sameAs?.has(before), true, String(bytes))
      assert.equal((await databaseState(path)).sameAs?.has('another'), false)
    }
  })

  it('is what it was where what stands in its place is not a log', async (test) => {
    const path = createFile(test)
    const before = fingerprintDatabaseNow(path).text
    writeFileSync(`${path}-wal`, 'x'.repeat(10_000))
    assert.equal((await seenBeforeRest(path))?.(before), true)
    const db = new DatabaseSync(path)
    assert.deepEqual({ ...db.prepare('SELECT n FROM t').get() }, { n: 1 })
    db.close()
  })

  it('is what it was before its log was moved, and the next one had just begun', async (test) => {
    const path = createFile(test)
    dieAfter(path, 'INSERT INTO t VALUES (2)')
    const before = fingerprintDatabaseNow(path).text
    const db = new DatabaseSync(path)
    closeQuietly(path, () => db.close())
    const moved = fingerprintDatabaseNow(path).text
    dieAfter(path, ...spilling)
    truncateSync(`${path}-wal`, 32)
    const isSeen = await seenBeforeRest(path)
    for (const [text, isSame] of [
      [before, true] as const,
      [moved, true] as const,
      ['another -', false] as const,
    ])
      assert.equal(isSeen?.(text), isSame, text)
  })

  it('is another where anything was committed', async (test) => {
    const path = createFile(test)
    const empty = fingerprintDatabaseNow(path).text
    dieAfter(path, 'INSERT INTO t VALUES (2)')
    const before = fingerprintDatabaseNow(path).text
    dieAfter(path, 'INSERT INTO t VALUES (3)', ...spilling)
    const isSeen = await seenBeforeRest(path)
    assert.equal(isSeen?.(before), false)
    assert.equal(isSeen?.(empty), false)
    dieAfter(path, ...spilling.slice(0, 2), ...spilling.slice(2), 'COMMIT')
    assert.equal((await seenBeforeRest(path))?.(before) ?? false, false)
  })
})
