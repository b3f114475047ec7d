import { Agent, get } from 'node:http'
import { fastify } from 'fastify'
import { anonymous } from '../src/access/records.ts'
import type { App, TypeBoxProvider } from '../src/api/app-types.ts'
import { observeRequests } from '../src/api/server/observe-requests.ts'
import { createEventBus } from '../src/core/events/events.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { ServerRequests } from '../src/monitoring/collect/server/server-requests.ts'
import { silentLogger } from '../tests/support/silent-logger.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'

const rounds = 10
const requestsPerRound = 3000
const warmingRequests = 2000
const hookRequests = 40_000
const targetMilliseconds = 0.05
const path = '/ogc/collections'

/**
 * Measures the cost of monitoring per request: the time of its own code, and a server with monitoring
 * compared with one without.
 */
export async function runRecording(folder: string): Promise<SmallResult[]> {
  const hook = await timeHook()
  const difference = await compareServers(folder)
  return [
    { name: `monitoring in a request, p50 of ${hookRequests}`, milliseconds: quantile(hook, 0.5) },
    { name: `monitoring in a request, p99 of ${hookRequests}`, milliseconds: quantile(hook, 0.99) },
    {
      name: 'a request with monitoring over one without, median of rounds, p50',
      milliseconds: difference.p50,
    },
    {
      name: 'a request with monitoring over one without, median of rounds, p99',
      milliseconds: difference.p99,
    },
    {
      name: 'processor time of such a request over one without, all threads',
      milliseconds: difference.processor,
    },
  ].map((result) => ({ ...result, targetMilliseconds }))
}

/**
 * Returns, for each request, the time that the monitoring code takes when the request begins and when it has
 * ended.
 */
async function timeHook(): Promise<number[]> {
  const own = new ServerRequests()
  const app: App = fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxProvider>()
  const times: number[] = []
  let [begun, begunFor, ended] = [0, 0, 0]
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.once('close', () => {
      ended = performance.now()
    })
    begun = performance.now()
    done()
  })
  observeRequests(app, {
    monitoring: { record: (request) => own.add(request) },
    callerOf: () => anonymous,
    events: createEventBus(() => undefined),
    clock: systemClock,
    log: silentLogger,
  })
  app.addHook('onRequest', (_request, reply, done) => {
    begunFor = performance.now() - begun
    reply.raw.once('close', () => times.push(begunFor + performance.now() - ended))
    done()
  })
  app.get('/ogc/collections', { config: { access: 'public', countsAs: 'OWS:WFS' } }, () => ({
    collections: [],
  }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    await ask(url, warmingRequests)
    times.length = 0
    await ask(url, hookRequests)
    return times
  } finally {
    await app.close()
  }
}

/** Alternates between the servers, so that other load on the machine affects both. */
async function compareServers(folder: string): Promise<{ p50: number; p99: number; processor: number }> {
  const watched = await startBenchServer(folder, { monitoring: 'on' })
  const plain = await startBenchServer(folder, { monitoring: 'off' })
  try {
    for (const { url } of [watched, plain]) await ask(url, warmingRequests)
    const differences: { p50: number; p99: number; processor: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const isEven = round % 2 === 0
      const first = await timeServer(isEven ? watched : plain)
      const second = await timeServer(isEven ? plain : watched)
      const [on, off] = isEven ? [first, second] : [second, first]
      differences.push({
        p50: on.p50 - off.p50,
        p99: on.p99 - off.p99,
        processor: on.processor - off.processor,
      })
    }
    const median = (name: 'p50' | 'p99' | 'processor'): number =>
      quantile(
        differences.map((one) => one[name]),
        0.5,
      )
    return { p50: median('p50'), p99: median('p99'), processor: median('processor') }
  } finally {
    await watched.stop()
    await plain.stop()
  }
}

async function timeServer(server: BenchServer): Promise<{ p50: number; p99: number; processor: number }> {
  const before = server.processorMilliseconds()
  const times = await ask(server.url, requestsPerRound)
  const processor = (server.processorMilliseconds() - before) / requestsPerRound
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), processor }
}

/** Returns the duration of sequential requests over one connection, in milliseconds. */
async function ask(url: string, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const start = performance.now()
      await new Promise<void>((resolve, reject) => {
        const request = get(new URL(path, url), { agent }, (response) => {
          response.resume()
          response.once('end', resolve)
        })
        request.once('error', reject)
      })
      times.push(performance.now() - start)
    }
    return times
  } finally {
    agent.destroy()
  }
}
