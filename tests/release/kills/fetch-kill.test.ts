import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { startWebServer } from '../../support/web-server.ts'

const towns = readFileSync('tests/fixtures/geojson/valid.geojson')

describe('a server that is killed while it fetches', () => {
  it('fetches again at its next start, with the password that it sealed', async (test) => {
    let isSlow = true
    const base = await startWebServer(test, ({ headers }, reply) => {
      if (headers.authorization === undefined) reply.writeHead(401).end()
      else if (isSlow) {
        const dripping = setInterval(() => reply.write(' '), 100)
        reply.once('close', () => clearInterval(dripping))
      } else reply.end(towns)
    })
    const dataDir = temporaryData(test)
    const env = { TERRANE_REMOTE_ALLOW: '127.0.0.1' }
    const first = await startServer(test, dataDir, env)
    const data = { type: 'remote', location: `${base}/towns.geojson`, username: 'u', password: 'p' }
    await first.call('POST', '/rest/imports?async=true', { import: { data } })
    assert.ok(await first.eventOf(0, /"phase":"fetch","file":"towns.geojson","bytes":\d+,"total":-1/))
    await first.kill()
    isSlow = false
    const second = await startServer(test, dataDir, env)
    const { tasks } = await second.importIn(0, ['PENDING'])
    assert.equal(tasks?.[0]?.state, 'READY')
    await second.stop()
  })
})
