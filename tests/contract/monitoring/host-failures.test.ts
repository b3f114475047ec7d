import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { seriesPlace, watchHost } from '../../support/host-series.ts'
import { startWebServer } from '../../support/web-server.ts'

const start = Date.parse('2026-03-01T00:00:10Z')
const minute = 60_000
const user = 'watcher'
const password = 'very-secret-password'

function exporterText(received: number): string {
  return ['receive', 'transmit']
    .map((way) => `node_network_${way}_bytes_total{device="eth0"} ${received}\n`)
    .join('')
}

/** Starts a node exporter with configurable responses; the first response is valid. */
async function startOdd(test: TestContext) {
  const behaviour: { answer: RequestListener } = { answer: (_, response) => response.end(exporterText(1000)) }
  const url = await startWebServer(test, (request, response) => behaviour.answer(request, response))
  const place = await seriesPlace(test, 'sqlite')
  const address = `${url.replace('//', `//${user}:${password}@`)}/metrics?token=${password}`
  const watch = await watchHost(place, { kind: 'node-exporter', url: address })
  test.after(() => watch.close())
  return { behaviour, url: `${url}/metrics`, watch }
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Error)
  assert.ok(!`${error.stack}${error.message}`.includes(password), error.message)
  return error.message
}

describe('a host that answers wrongly', () => {
  const odd: [name: string, answer: RequestListener, says: RegExp][] = [
    [
      'another page',
      (_, response) => response.end('<html>Sign in</html>'),
      /: The answer has no metrics of a node exporter/,
    ],
    ['nothing', (_, response) => response.end(), /has no metrics/],
    ['a refusal', (_, response) => response.writeHead(401).end(), / refuses the user or the password/],
    ['an error', (_, response) => response.writeHead(500).end(), / answered with status 500/],
    [
      'an end in between',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write('a', () => response.destroy()),
      / cannot be reached/,
    ],
    ['without end', sendWithoutEnd, / answered with more than 16777216 bytes/],
    [
      'a way elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.9:1/x' }).end(),
      / redirects to /,
    ],
  ]
  for (const [name, answer, says] of odd) {
    it(`with ${name} gives the reason and its address, and its next amount is whole`, async (test) => {
      const { behaviour, url, watch } = await startOdd(test)
      await watch.collect(start)
      behaviour.answer = answer
      const message = await failureOf(watch.collect(start + minute))
      assert.match(message, says)
      assert.ok(message.startsWith(url), message)
      behaviour.answer = (_, response) => response.end(exporterText(5000))
      await watch.collect(start + 2 * minute)
      const sums = (await watch.rows('network.in')).map(({ sum }) => sum)
      assert.deepEqual(sums, [4000])
    })
  }

  it('or not at all is given up when the time is over', async (test) => {
    const { behaviour, watch } = await startOdd(test)
    behaviour.answer = () => undefined
    assert.match(await failureOf(watch.collect(start, AbortSignal.timeout(50))), / was given up$/)
  })

  it('that is a GeoServer is asked at its system status, with its password', async (test) => {
    const requested: string[] = []
    const url = await startWebServer(test, (request, response) => {
      requested.push(`${request.url} ${request.headers.authorization}`)
      response.end(
        requested.length < 2 ? '{"metrics":{"metric":{"name":"CPU_LOAD","value":"12,5"}}}' : 'oops',
      )
    })
    const source = { kind: 'geoserver-status', url: `${url}/geoserver/`, user, password } as const
    const watch = await watchHost(await seriesPlace(test, 'sqlite'), source)
    test.after(() => watch.close())
    await watch.collect(start)
    const expected = Buffer.from(`${user}:${password}`).toString('base64')
    assert.deepEqual(requested, [`/geoserver/rest/about/system-status.json Basic ${expected}`])
    assert.deepEqual(
      (await watch.rows('cpu.usage.percent')).map(({ sum }) => sum),
      [12.5],
    )
    const message = await failureOf(watch.collect(start + minute))
    assert.equal(
      message,
      `${url}/geoserver/rest/about/system-status.json: The answer is not the system status of a GeoServer: it is not JSON`,
    )
  })
})

function sendWithoutEnd(...[, response]: Parameters<RequestListener>): void {
  const chunk = Buffer.alloc(1 << 20, '# a line that says nothing\n')
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
}
