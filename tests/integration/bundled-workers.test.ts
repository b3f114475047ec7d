import { strict as assert } from 'node:assert'
import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildServer, listWorkers } from '../../scripts/setup/server.mjs'
import { bundlesFolder } from '../../src/core/bundle/server-bundle.mjs'
import { startProcess } from '../../src/core/workers/start-process.ts'
import { startThread } from '../../src/core/workers/start-thread.ts'
import { workerEntry } from '../../src/core/workers/worker-entry.ts'
import { WorkerEnded } from '../../src/core/workers/worker-handle.ts'
import { runSevenZip } from '../../src/inputs/archives/seven-zip-program.ts'

const root = dirname(dirname(import.meta.dirname))
/** These handle no calls: the first is part of each child process, `runSevenZip` uses the second. */
const withoutCalls = ['src/core/workers/parent-guard.ts', 'src/inputs/archives/seven-zip-worker.ts']
const workers = listWorkers(root)

function urlOf(path: string): URL {
  return pathToFileURL(join(root, path))
}

describe('workers from the bundle', () => {
  before(() => buildServer(root))

  it('are all there', () => {
    assert.ok(workers.length > 20)
    for (const path of workers) {
      const file = fileURLToPath(workerEntry(urlOf(path)))
      assert.ok(file.startsWith(bundlesFolder(root) + sep), `${path} is started as ${file}`)
    }
  })

  for (const path of workers.filter((one) => !withoutCalls.includes(one))) {
    for (const [kind, start] of [
      ['thread', startThread],
      ['child process', startProcess],
    ] as const) {
      it(`${path} answers as a ${kind}`, async () => {
        const worker = start<Record<string, () => void>>(urlOf(path), { data: {} })
        try {
          await assert.rejects(worker.call('no-such-work'), (error) => {
            assert.ok(!(error instanceof WorkerEnded), String(error))
            assert.match(String((error as Error).stack), /src\//)
            return true
          })
        } finally {
          await worker.end()
        }
      })
    }
  }

  it('7-Zip runs', async () => {
    const archive = readdirSync(join(root, 'tests/fixtures'), { recursive: true, encoding: 'utf8' }).find(
      (name) => name.endsWith('.7z'),
    )
    assert.ok(archive)
    const chunks: Uint8Array[] = []
    for await (const chunk of runSevenZip(
      join(root, 'tests/fixtures', archive),
      ['l', '-slt'],
      new AbortController().signal,
    ))
      chunks.push(chunk)
    assert.match(Buffer.concat(chunks).toString('utf8'), /Path = /)
  })
})
