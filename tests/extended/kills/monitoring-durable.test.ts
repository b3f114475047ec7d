import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRequestLog } from '../../support/request-log.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const rounds = 3

/** How many requests are lost by a kill of those that were written down. */
async function lostByKill(t: TestContext): Promise<number> {
  const data = temporaryData(t)
  const server = await startServer(t, data, { TERRANE_MONITORING: 'on', TERRANE_SAMPLE: 'off' })
  await fetch(`${server.url}/ogc`)
  // The collector is up once something was written.
  while ((await pathsIn(data)).length === 0) await sleep(50)
  const sent: string[] = []
  for (let number = 0; number < 40; number += 1) {
    sent.push(`/sent-${number}`)
    await (await fetch(`${server.url}/sent-${number}`)).text()
    await sleep(10)
  }
  await until(async () => {
    const written = await pathsIn(data)
    return sent.every((path) => written.includes(path))
  })
  server.process.signal('SIGKILL')
  await server.process.ended
  const paths = await pathsIn(data)
  assert.equal(new Set(paths).size, paths.length - paths.filter((path) => path === '/ogc').length + 1)
  return sent.filter((path) => !paths.includes(path)).length
}

async function pathsIn(data: string): Promise<(string | null | undefined)[]> {
  try {
    return (await readRequestLog({ path: `${data}/monitoring.sqlite` })).map(({ texts }) => texts['path'])
  } catch {
    return []
  }
}

describe('a server that is killed', () => {
  it('writes down what it answers while it runs, and a kill loses none of that', async (t) => {
    for (let round = 0; round < rounds; round += 1) assert.equal(await lostByKill(t), 0)
  })
})
