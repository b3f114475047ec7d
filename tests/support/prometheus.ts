import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, openFolder, startProgram } from './remote-servers.ts'
import type { Cleanup } from './terrane-process.ts'
import { patienceMs } from './until.ts'

export interface NodeExporterOptions {
  /** Basic authentication: the user and the bcrypt hash of the password. */
  user?: { name: string; hash: string }
}

/** Starts Prometheus' node exporter for this machine; gives the address of its metrics. */
export async function startNodeExporter(test: Cleanup, { user }: NodeExporterOptions = {}): Promise<string> {
  const port = await freePort()
  const args = [`--web.listen-address=127.0.0.1:${port}`]
  if (user !== undefined) {
    const file = join(openFolder(test), 'web.yml')
    writeFileSync(file, `basic_auth_users:\n  ${user.name}: '${user.hash}'\n`)
    args.push(`--web.config.file=${file}`)
  }
  await startProgram(test, 'prometheus-node-exporter', args, port)
  return `http://127.0.0.1:${port}/metrics`
}

export interface Prometheus {
  /** The value of each series that an expression gives now. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>
  /** Waits until an expression gives a series for which `isWanted`. */
  queryUntil(expression: string, isSelected: (value: number) => boolean): Promise<number>
}

/** Starts Prometheus with one scrape job, given as YAML below `scrape_configs:`. */
export async function startPrometheus(test: Cleanup, job: string): Promise<Prometheus> {
  const folder = openFolder(test)
  const port = await freePort()
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, `global:\n  scrape_interval: 500ms\nscrape_configs:\n${job}`)
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  await startProgram(test, 'prometheus', args, port)
  await untilReady(`http://127.0.0.1:${port}/-/ready`)
  const query: Prometheus['query'] = async (expression) => {
    const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`
    const response = await fetch(address)
    const { data } = (await response.json()) as { data?: { result: RawSeries[] } }
    return (data?.result ?? []).map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
  }
  return {
    query,
    async queryUntil(expression, isSelected) {
      let last: number | undefined
      for (const until = Date.now() + patienceMs; Date.now() < until; ) {
        last = (await query(expression))[0]?.value
        if (last !== undefined && isSelected(last)) return last
        await sleep(100)
      }
      throw new Error(`${expression} is ${last} still`)
    },
  }
}

/** Prometheus listens before it is ready: it sends 503 until then. */
async function untilReady(address: string): Promise<void> {
  for (const until = Date.now() + patienceMs; ; await sleep(30)) {
    const { ok, status } = await fetch(address)
    if (ok) return
    if (Date.now() > until) throw new Error(`${address} still answers ${status}`)
  }
}

interface RawSeries {
  metric: Record<string, string>
  value: [time: number, value: string]
}
