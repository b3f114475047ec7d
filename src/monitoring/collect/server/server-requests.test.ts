import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { readRequestLog } from '../../../../tests/support/request-log.ts'
import { temporaryData } from '../../../../tests/support/terrane-process.ts'
import { createSeriesWriter } from '../../series/series-writer.ts'
import { AddressLookup } from '../classify/address-lookup.ts'
import { createClassifier } from '../classify/classify-requests.ts'
import { Salts } from '../classify/salts.ts'
import { SharedSeries } from '../shared-series.ts'
import type { RequestBatch } from './append-requests.ts'
import { appendOwn, forgetServers } from './append-requests.ts'
import type { ServerRequest } from './server-request.ts'
import { ServerRequests } from './server-requests.ts'

const now = Date.UTC(2026, 10, 21, 12)
const services = { app: 1, mapserver: 3 }

function ownRequest(path: string, change: Partial<ServerRequest> = {}): ServerRequest {
  return {
    service: 'app',
    created: now,
    eventType: 'view',
    method: 'GET',
    path,
    host: 'maps.example',
    status: 200,
    sizeBytes: 1,
    milliseconds: 1,
    contentType: undefined,
    userAgent: undefined,
    clientIp: '203.0.113.77',
    session: undefined,
    userName: undefined,
    resources: [],
    ...change,
  }
}

function openSeries(test: TestContext) {
  const location = { path: `${temporaryData(test)}/monitoring.sqlite` }
  const series = new SharedSeries({
    location,
    limits: { labels: 100, visitors: 100, resources: 100 },
    openWriter: createSeriesWriter,
  })
  test.after(() => series.close())
  const salts = new Salts((work) => series.withDatabase(work))
  const classifier = createClassifier({
    privacy: 'truncated',
    places: new AddressLookup(),
    salts,
    now: () => now,
  })
  return {
    series,
    append: (batch: RequestBatch) => appendOwn(series, classifier, batch),
    paths: async () => (await readRequestLog(location)).map(({ texts }) => texts.path),
  }
}

describe('OwnRequests', () => {
  it('hands everything over once, also when it is not known whether a batch was written', async (test) => {
    const { append, paths } = openSeries(test)
    const own = new ServerRequests()
    own.add(ownRequest('/a'))
    own.add(ownRequest('/b'))
    const lostAnswer = async (batch: RequestBatch): Promise<void> => {
      await append(batch)
      throw new Error('The connection was lost after the commit')
    }
    await assert.rejects(own.flush(lostAnswer, { now, services }), /after the commit/)
    own.add(ownRequest('/c'))
    const neverArrived = async (): Promise<void> => {
      throw new Error('The connection was lost before')
    }
    await assert.rejects(own.flush(neverArrived, { now, services }), /before/)
    assert.equal(own.waiting, 3)
    await own.flush(append, { now, services })
    assert.equal(own.waiting, 0)
    assert.deepEqual(await paths(), ['/a', '/b', '/c'])
  })

  it('writes what several servers hand over, each its own', async (test) => {
    const { append, paths } = openSeries(test)
    const servers = [new ServerRequests(), new ServerRequests()]
    for (const [at, own] of servers.entries()) {
      own.add(ownRequest(`/${at}`))
      await own.flush(append, { now, services })
    }
    assert.deepEqual(await paths(), ['/0', '/1'])
  })

  it('goes on after its cursor was forgotten, as that of a server that had nothing to do for days', async (test) => {
    const { append, paths, series } = openSeries(test)
    const own = new ServerRequests()
    own.add(ownRequest('/before'))
    await own.flush(append, { now, services })
    await series.withDatabase((database) => forgetServers(database, now + 3 * 86_400_000))
    const left = await series.withDatabase((database) => database.all('select * from monitoring_cursors'))
    assert.deepEqual(left, [])
    own.add(ownRequest('/after'))
    await own.flush(append, { now: now + 3 * 86_400_000, services })
    assert.deepEqual(await paths(), ['/before', '/after'])
  })

  it('drops and counts what is too much, and keeps what waits', async () => {
    const own = new ServerRequests()
    for (let count = 0; count < 50_010; count += 1) own.add(ownRequest('/x'))
    own.addException({ created: now, type: 'A', message: '', stack: '' })
    assert.equal(own.waiting, 50_000)
    assert.equal(own.dropped, 11)
    let handed = 0
    await own.flush(
      async ({ requests }) => {
        handed += requests.length
      },
      { now, services },
    )
    assert.equal(handed, 50_000)
    own.add(ownRequest('/x'))
    assert.equal(own.dropped, 11)
  })

  it('leaves out requests of a service that is not watched', async (test) => {
    const { append, paths } = openSeries(test)
    const own = new ServerRequests()
    own.add(ownRequest('/app'))
    own.add(ownRequest('/ogc', { service: 'mapserver' }))
    await own.flush(append, { now, services: { mapserver: 3 } })
    assert.deepEqual(await paths(), ['/ogc'])
  })
})
