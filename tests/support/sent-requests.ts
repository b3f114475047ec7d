import assert from 'node:assert/strict'
import { authorization } from './hostile.ts'
import type { Json } from './importer-client.ts'
import type { LoggedRequest } from './request-log.ts'
import { until } from './until.ts'

/** Sends requests one after the other, each to a different path that does not exist. */
export class UniqueRequests {
  /** Paths of requests with a response, in order. */
  readonly answered: string[] = []
  readonly #name: string
  #sent = 0
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** Continues until `stop`, or until the server is gone. */
  start(url: string): void {
    this.#running = this.#run(url)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async untilAnswered(count: number): Promise<void> {
    await until(() => this.answered.length >= count)
  }

  /**
   * Asserts that the log contains the first requests with a response once each. Returns how many of the last
   * ones are missing.
   */
  missing(log: readonly LoggedRequest[]): number {
    const start = `/${this.#name}/`
    const logged = log.map(({ texts }) => texts.path ?? '').filter((path) => path.startsWith(start))
    // The server may have responded to one request when the client could no longer receive the response.
    const sent = Array.from({ length: this.#sent }, (_, at) => `${start}${at}`)
    assert.deepEqual(logged, sent.slice(0, logged.length))
    return Math.max(0, this.answered.length - logged.length)
  }

  async #run(url: string): Promise<void> {
    while (!this.#isStopped) {
      const path = `/${this.#name}/${this.#sent}`
      this.#sent += 1
      try {
        const reply = await fetch(`${url}${path}`)
        await reply.arrayBuffer()
        this.answered.push(path)
      } catch {
        return
      }
    }
  }
}

/** Returns the counts of a server's requests from `/metrics`, by method and route. */
export async function countedByServer(
  url: string,
): Promise<{ method: string; route: string; count: number }[]> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text()
  const line = /^terrane_http_requests_total\{method="(\w+)",route="([^"]*)",status="\dxx"\} (\d+)$/gm
  return [...text.matchAll(line)].map(([, method = '', route = '', count]) => ({
    method,
    route,
    count: Number(count),
  }))
}

/** Sums the values over the periods of a metric_data response, by the key that `keyOf` returns for a row. */
export async function sumsOf(
  url: string,
  query: string,
  keyOf: (row: Json) => string,
): Promise<Record<string, number>> {
  const reply = await fetch(`${url}/monitoring/api/metric_data/${query}`, { headers: { authorization } })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  const { data } = JSON.parse(text) as { data: { data: { data: Json[] }[] } }
  const sums: Record<string, number> = {}
  for (const row of data.data.flatMap((period) => period.data))
    sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + Number(row.sum)
  return sums
}
