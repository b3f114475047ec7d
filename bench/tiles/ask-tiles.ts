import { HttpConnection, pathOf } from '../http-connection.ts'
import { quantile } from '../quantile.ts'

/** Result of requesting many URLs; times in milliseconds. */
export interface RequestTimes {
  tiles: number
  median: number
  p95: number
  perSecond: number
  kilobytes: number
  failed: number
}

/** Requests each URL once over this number of connections; all URLs belong to one server. */
export async function askOnce(
  urls: readonly string[],
  { connections = 1, headers = {} }: { connections?: number; headers?: Record<string, string> } = {},
): Promise<RequestTimes> {
  const paths = urls.map((url) => pathOf(new URL(url)))
  const times: number[] = []
  let bytes = 0
  let failed = 0
  let next = 0
  const work = async (connection: HttpConnection): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const start = performance.now()
      const answer = await connection.get(path).catch(() => undefined)
      times.push(performance.now() - start)
      if (answer === undefined || answer.status >= 300) failed += 1
      else bytes += answer.sizeBytes
    }
  }
  const all = Array.from({ length: Math.min(connections, urls.length) }, () => {
    const [first = ''] = urls
    return new HttpConnection(new URL(first), { 'accept-encoding': 'gzip', ...headers })
  })
  const start = performance.now()
  await Promise.all(all.map(work))
  const seconds = (performance.now() - start) / 1000
  for (const connection of all) connection.close()
  return {
    tiles: urls.length,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    perSecond: urls.length / seconds,
    kilobytes: bytes / 1024 / Math.max(1, urls.length),
    failed,
  }
}
