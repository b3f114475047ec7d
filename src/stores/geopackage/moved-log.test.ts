import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fingerprintDatabaseNow } from './database-fingerprint.ts'
import { tryToMove } from './move-log.ts'
import { seenBeforeMove } from './moved-log.ts'
import { closeQuietly } from './server-writes.ts'

it('knows a file again into which its log was moved, and no other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'moved-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'a.gpkg')
  const open = (): DatabaseSync => {
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)')
    return db
  }
  const db = open()
  const before = fingerprintDatabaseNow(path).text
  await sleep(30)
  assert.equal(tryToMove(path, db), true)
  assert.notEqual(fingerprintDatabaseNow(path).text, before)
  assert.equal(seenBeforeMove(path)?.(before), true)
  db.exec('INSERT INTO t VALUES (2)')
  const later = fingerprintDatabaseNow(path).text
  await sleep(30)
  closeQuietly(path, () => db.close())
  assert.deepEqual(
    [before, later].map((text) => seenBeforeMove(path)?.(text)),
    [false, true],
  )
  await sleep(30)
  open().close()
  assert.equal(seenBeforeMove(path)?.(later), false)
  assert.equal(seenBeforeMove(join(folder, 'none.gpkg')), undefined)
})
