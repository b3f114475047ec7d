import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { openForLoading, whenFree } from './connections.ts'
import { moveIntoFile } from './move-log.ts'

it('waits for others that write without holding up its thread', async (test) => {
  const path = join(temporaryFolder(test), 'x.gpkg')
  const [other, ours] = [new DatabaseSync(path), openForLoading(path)]
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (x); BEGIN IMMEDIATE')
  const waits: unknown[] = []
  const waitOf = (db: DatabaseSync): unknown =>
    Object.values(db.prepare('PRAGMA busy_timeout').get() ?? {})[0]
  await whenFree(ours, new AbortController().signal, () => {
    // SQLite itself would block this thread.
    waits.push(waitOf(ours))
    try {
      ours.exec('BEGIN IMMEDIATE')
    } finally {
      if (waits.length === 5) other.exec('COMMIT')
    }
  })
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0])
  assert.equal(waitOf(ours), 500)
  ours.close()
  other.close()
})

it('leaves what it cannot move into the file for the readers of it to whoever closes last', async (test) => {
  const path = join(temporaryFolder(test), 'x.gpkg')
  const [reader, ours] = [new DatabaseSync(path), openForLoading(path)]
  ours.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (x)')
  reader.exec('BEGIN; SELECT * FROM a')
  ours.exec('INSERT INTO a VALUES (1)')
  let rounds = 0
  const counter = setInterval(() => {
    rounds += 1
  }, 1)
  await moveIntoFile(path, ours)
  clearInterval(counter)
  assert.ok(rounds > 0, 'the thread does other work meanwhile')
  reader.exec('COMMIT')
  await moveIntoFile(path, ours)
  assert.deepEqual({ ...ours.prepare('PRAGMA wal_checkpoint').get() }, { busy: 0, log: 0, checkpointed: 0 })
  ours.close()
  reader.close()
})
