import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { defined } from '../../src/core/values/defined.ts'
import { rasterTransforms, vectorTransforms } from '../../src/transforms/registry.ts'
import type { HostileRequest, OpenApi, SchemaNode } from './hostile-requests.ts'
import { hostileRequests, hostileTexts } from './hostile-requests.ts'
import type { ImporterClient } from './importer-client.ts'
import { startImporter } from './importer-client.ts'

/**
 * Tested with fewer requests: these wait on purpose for wrong names, remove the caller's own permissions, or
 * start a thread each time.
 */
const leftOut = [
  'post /rest/security/session',
  'put /rest/security/self/password',
  'post /monitoring/api/load',
]
/** Limit of the processor time for the responses between two readings. */
const longestMs = 5000
const inherited = [Object, Array, Function, String, Number, Map, Promise, Error]

export async function startWithPlaces(
  test: TestContext,
  dialect: string,
): Promise<{ client: ImporterClient; api: OpenApi }> {
  const env = { TERRANE_DIALECT: dialect, TERRANE_MONITORING: 'on' }
  const client = await startImporter(test, { env })
  await client.call('POST', '', { import: {} })
  await client.upload(0, [{ name: 'places.csv', content: 'name,lat,lon\na,1,2\n' }])
  const { app, admin: headers } = client.server
  return { client, api: (await app.inject({ url: '/openapi.json', headers })).json() }
}

/** Each parameter of each transformation, which the document does not list. */
function* transformRequests(texts: readonly string[]): Generator<HostileRequest> {
  for (const { type, parameters } of [...vectorTransforms, ...rasterTransforms]) {
    const names = Object.keys((parameters as SchemaNode).properties ?? {})
    for (const name of names)
      for (const text of texts) {
        const usual = Object.fromEntries(names.map((one) => [one, 'lat']))
        const body = JSON.stringify({ ...usual, type, [name]: text })
        yield {
          method: 'post',
          url: '/rest/imports/0/tasks/0/transforms',
          type: 'application/json',
          body,
          what: body.slice(0, 200),
        }
      }
  }
}

/** Requests between two readings of the processor time: a reading takes longer than many of the requests. */
const requestsOfReading = 25
let before = process.cpuUsage()
let sent = 0

async function send({ server }: ImporterClient, request: HostileRequest): Promise<void> {
  const { method, url, type, body, what } = request
  const shown = `${method} ${url.slice(0, 200)} ${what}`
  const started = performance.now()
  const reply = await server.app.inject({
    method: method.toUpperCase() as 'GET',
    url,
    headers: { ...server.admin, ...defined({ 'content-type': type }) },
    ...defined({ payload: body }),
  })
  assert.ok(reply.statusCode < 500, `${reply.statusCode} ${shown} ${reply.body.slice(0, 200)}`)
  sent += 1
  if (sent % requestsOfReading > 0 && performance.now() - started < longestMs / 5) return
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  assert.ok((user + system) / 1000 < longestMs, `${(user + system) / 1000} ms up to ${shown}`)
}

function prototypes(): string[][] {
  return inherited.map((one) => Reflect.ownKeys(one.prototype).map(String))
}

/** Describes requests with such texts at every place: one of so many is sent. */
export function describeHostileKeys(sampled: number): void {
  describe('names that every object inherits, and other texts that nobody expects', () => {
    for (const [dialect, texts, isQuick] of [
      ['contract', hostileTexts, false],
      ['geoserver', ['__proto__', 'constructor'], true],
    ] as const) {
      it(`lead to no failure and no change at any place of any request, dialect ${dialect}`, async (test) => {
        const { client, api } = await startWithPlaces(test, dialect)
        const before = prototypes()
        let count = 0
        for (const request of hostileRequests(api, { texts, isQuick, leftOut })) {
          count += 1
          if (count % sampled === 0) await send(client, request)
        }
        for (const request of transformRequests(texts)) await send(client, request)
        for (const one of hostileRequests(api, {
          texts: ['__proto__', 'constructor'],
          isQuick: true,
          leftOut: [],
        })) {
          if (leftOut.some((path) => one.url.startsWith(path.split(' ')[1] ?? ''))) await send(client, one)
        }
        assert.deepEqual(prototypes(), before)
        assert.ok(count / sampled > 1000, `only one of ${sampled} of ${count} requests was made`)
        test.diagnostic(`one of ${sampled} of ${count} requests`)
      })
    }
  })
}
