import { Agent, get } from 'node:http'
import { quantile } from './quantile.ts'

export interface RequestLoad {
  connections: number
  seconds: number
  headers?: Record<string, string>
  /** The status that is no failure; default 200. */
  wanted?: number
}

export interface LoadAnswer {
  perSecond: number
  p50: number
  p99: number
  failed: number
}

const patienceMs = 10_000

/** Asks for one address again and again over many connections; times are in milliseconds. */
export async function loadRequests(url: string, options: RequestLoad): Promise<LoadAnswer> {
  const { connections, seconds, headers = {}, wanted = 200 } = options
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  let failed = 0
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      const request = get(url, { agent, headers }, (reply) => {
        reply.resume()
        reply.once('end', () => resolve(reply.statusCode === wanted))
        reply.once('close', () => resolve(false))
      })
      request.setTimeout(patienceMs, () => request.destroy())
      request.once('error', () => resolve(false))
    })
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now()
      if (await ask()) times.push(performance.now() - start)
      else failed += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  agent.destroy()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    failed,
  }
}
