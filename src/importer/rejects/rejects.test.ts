import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { TaskRecord } from '../model/model.ts'
import { RejectedRows } from './rejects.ts'

const rows = 30_000
const silenceMs = 60_000

const task: TaskRecord = {
  importId: 7,
  id: 0,
  state: 'COMPLETE',
  sortKey: '',
  revision: 0,
  updatedAt: '',
  updateMode: 'CREATE',
  folder: '/data',
  isUploaded: false,
  files: [],
  isDirect: false,
  transforms: [],
  nextTransformId: 0,
  messages: [],
  format: 'CSV',
  source: {
    name: 'rows',
    schema: { attributes: [{ name: 'gid', type: 'text' }], geometry: undefined },
    messages: [],
  },
}

function open(t: TestContext): RejectedRows {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-rejected-'))
  mkdirSync(join(folder, '7'))
  const lines = Array.from({ length: rows }, (_, at) =>
    JSON.stringify({ row: at + 1, code: 'row-not-read', reason: 'is none', properties: { gid: `g${at}` } }),
  )
  writeFileSync(join(folder, '7', '0.ndjson'), `${lines.join('\n')}\n`)
  const failures: Error[] = []
  const rejected = new RejectedRows({
    folders: { rejects: folder },
    silenceMs,
    onEnd: (error) => failures.push(error),
  })
  t.after(async () => {
    await rejected.close()
    rmSync(folder, { recursive: true, force: true })
    assert.deepEqual(failures, [])
  })
  return rejected
}

const { signal } = new AbortController()

describe('rejected rows that are fetched', () => {
  it('come in pieces, which the main thread does not make', async (t) => {
    const rejected = open(t)
    for (const form of ['csv', 'geojson'] as const) {
      const pieces: Uint8Array[] = []
      for await (const piece of rejected.list(task, form, signal)) pieces.push(piece)
      assert.ok(pieces.length > 10 && pieces.every(({ length }) => length < 100_000))
      const text = Buffer.concat(pieces).toString()
      const found = form === 'csv' ? text.trim().split('\r\n').length - 1 : JSON.parse(text).features.length
      assert.equal(found, rows)
    }
  })

  it('end for readers who leave, and wait for those who are slow', async (t) => {
    const rejected = open(t)
    for (let reader = 0; reader < 40; reader += 1) {
      const list = rejected.list(task, 'geojson', signal)
      assert.equal((await list.next()).done, false)
      await list.return(undefined)
    }
    const slow = Array.from({ length: 15 }, () => rejected.list(task, 'csv', signal))
    await Promise.all(slow.map((one) => one.next()))
    const made = await rejected.write(task, signal)
    assert.ok(made.sizeBytes > 500_000)
    await made.remove()
    let pieces = 0
    for await (const _ of rejected.list(task, 'csv', signal)) pieces += 1
    assert.ok(pieces > 5)
    await Promise.all(slow.map((one) => one.return(undefined)))
  })

  it('end where the client goes away while it waits', async (t) => {
    const rejected = open(t)
    const abort = new AbortController()
    const list = rejected.list(task, 'csv', abort.signal)
    await list.next()
    abort.abort(new Error('gone'))
    await assert.rejects(async () => {
      for await (const _ of list);
    }, /gone/)
    await assert.rejects(rejected.write(task, AbortSignal.abort(new Error('gone'))), /gone/)
  })
})
