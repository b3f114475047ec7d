import { Agent, get } from 'node:http'
import { quantile } from '../quantile.ts'

const patienceMs = 60_000

/** What asking for many addresses came to; times in milliseconds. */
export interface Asked {
  tiles: number
  median: number
  p95: number
  perSecond: number
  kilobytes: number
  failed: number
}

/** Asks for each address once, over so many connections. */
export async function askOnce(
  urls: readonly string[],
  { connections = 1, headers = {} }: { connections?: number; headers?: Record<string, string> } = {},
): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let bytes = 0
  let failed = 0
  let next = 0
  const ask = (url: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const request = get(url, { agent, headers: { 'accept-encoding': 'gzip', ...headers } }, (reply) => {
        let size = 0
        reply.on('data', (chunk: Uint8Array) => {
          size += chunk.length
        })
        reply.once('end', () => resolve((reply.statusCode ?? 500) < 300 ? size : undefined))
        reply.once('close', () => resolve(undefined))
      })
      request.setTimeout(patienceMs, () => request.destroy())
      request.once('error', () => resolve(undefined))
    })
  const work = async (): Promise<void> => {
    for (let url = urls[next++]; url !== undefined; url = urls[next++]) {
      const start = performance.now()
      const size = await ask(url)
      times.push(performance.now() - start)
      if (size === undefined) failed += 1
      else bytes += size
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return {
    tiles: urls.length,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    perSecond: urls.length / seconds,
    kilobytes: bytes / 1024 / Math.max(1, urls.length),
    failed,
  }
}
