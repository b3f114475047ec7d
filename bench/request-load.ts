import { HttpConnection, pathOf } from './http-connection.ts'
import { quantile } from './quantile.ts'

export interface RequestLoad {
  connections: number
  seconds: number
  headers?: Record<string, string>
  /** The status that is not a failure; default 200. */
  target?: number
}

export interface LoadAnswer {
  perSecond: number
  p50: number
  p99: number
  failed: number
}

/** Requests one URL repeatedly over many connections; times are in milliseconds. */
export async function loadRequests(url: string, options: RequestLoad): Promise<LoadAnswer> {
  const { connections, seconds, headers = {}, target = 200 } = options
  const address = new URL(url)
  const path = pathOf(address)
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  let failed = 0
  const work = async (): Promise<void> => {
    const connection = new HttpConnection(address, headers)
    while (performance.now() < end) {
      const start = performance.now()
      const answer = await connection.get(path).catch(() => undefined)
      if (answer?.status === target) times.push(performance.now() - start)
      else failed += 1
      if (answer === undefined) break
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  const sorted = times.toSorted((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    failed,
  }
}
