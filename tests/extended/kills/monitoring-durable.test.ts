import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRequestLog } from '../../support/request-log.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const durableMs = 200
const rounds = 3

/** Returns the number of requests answered 200 ms before the kill that are lost. */
async function lostByKill(t: TestContext): Promise<number> {
  const data = temporaryData(t)
  const server = await startServer(t, data, { TERRANE_MONITORING: 'on', TERRANE_SAMPLE: 'off' })
  await fetch(`${server.url}/ogc`)
  // The collector is up once something was written.
  await until(async () => (await pathsIn(data)).length !== 0)
  const sent: string[] = []
  for (let number = 0; number < 40; number += 1) {
    sent.push(`/sent-${number}`)
    await (await fetch(`${server.url}/sent-${number}`)).text()
    await sleep(10)
  }
  await sleep(durableMs)
  await untilIdle(server.process.pid)
  server.process.signal('SIGKILL')
  await server.process.ended
  const paths = await pathsIn(data)
  assert.equal(new Set(paths).size, paths.length - paths.filter((path) => path === '/ogc').length + 1)
  return sent.filter((path) => !paths.includes(path)).length
}

/** Waits until no thread of a process runs, waits for a processor or for a disk: what was due by now is done then. */
async function untilIdle(pid: number): Promise<void> {
  const isBusy = (thread: string): boolean => {
    try {
      return /\) [RD] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
  await until(() => !readdirSync(`/proc/${pid}/task`).some(isBusy))
}

async function pathsIn(data: string): Promise<(string | null | undefined)[]> {
  try {
    return (await readRequestLog({ path: `${data}/monitoring.sqlite` })).map(({ texts }) => texts['path'])
  } catch {
    return []
  }
}

describe('a server that is killed', () => {
  it('has written down what it answered 200 ms before', async (t) => {
    const lost: number[] = []
    for (let round = 0; round < rounds; round += 1) lost.push(await lostByKill(t))
    // On a busy machine the other thread may write late once.
    assert.ok(lost.filter((count) => count === 0).length >= rounds - 1, `lost: ${lost.join(', ')}`)
  })
})
