import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorization } from './hostile.ts'
import type { Json } from './importer-client.ts'
import type { LoggedRequest } from './request-log.ts'

/** Sends requests one after the other, each to a path of its own that does not exist. */
export class UniqueRequests {
  /** Paths of requests that were answered, in their order. */
  readonly answered: string[] = []
  readonly #name: string
  #sent = 0
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** Goes on until `stop`, or until the server is gone. */
  start(url: string): void {
    this.#running = this.#run(url)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async untilAnswered(count: number): Promise<void> {
    while (this.answered.length < count) await sleep(5)
  }

  /** That the log holds those that were answered first, each once, and how many of the last ones it lacks. */
  missing(log: readonly LoggedRequest[]): number {
    const start = `/${this.#name}/`
    const logged = log.map(({ texts }) => texts.path ?? '').filter((path) => path.startsWith(start))
    // One may have been answered when the client could no longer hear it.
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

/** Sums over the periods of an answer of metric_data, by what `keyOf` gives of a row. */
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
