import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { adminPassword, basicAuth } from '../app.ts'
import { until } from '../until.ts'
import { startWebServer } from '../web-server.ts'
import { arcgis } from './arcgis-server.ts'
import { points, type ShownRun } from './source-client.ts'

const dayMs = 86_400_000
/** The clock goes on by so much at most while the runs of a day end: a slow machine does not reach the next day. */
const mostSecondsADay = 12 * 3600
const schedule = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' }
const names = ['web', 'service', 'folder'] as const

/** Faults of the servers on one day. */
export interface DayFaults {
  /** Number of answers 503 of the web server. */
  webFailures?: number
  /** Number of answers 503 and 429 of the feature service. */
  busy?: number
  /** Fault of the feature service, which passes when a run has met it. */
  service?: 'html' | 'truncated' | 'schema' | 'repeated'
  /** True if a server is killed while the runs of the day begin. */
  isKilled?: boolean
}

export interface LapseOptions {
  /** Midnight before the first day, UTC. */
  firstDay: number
  days: number
  nodes: number
  faults(day: number): DayFaults
}

/** Servers of one catalogue that read the time from a file. */
export class Lapse {
  readonly folder: string
  readonly #clock: string
  readonly #env: Record<string, string>
  readonly #children: ChildProcess[] = []
  #nodes: { child: ChildProcess; url: string }[] = []

  constructor(test: TestContext, env: Record<string, string> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'terrane-lapse-'))
    this.#clock = join(this.folder, 'clock')
    this.#env = {
      TERRANE_DATA: join(this.folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_MONITORING: 'off',
      TERRANE_ADMIN_PASSWORD: adminPassword,
      TERRANE_IMPORT_ROOTS: this.folder,
      TERRANE_REMOTE_ALLOW: '127.0.0.1/32',
      ...env,
    }
    test.after(async () => {
      for (const child of this.#children) if (child.kill('SIGKILL')) await once(child, 'exit')
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
    })
  }

  setTime(time: number): void {
    writeFileSync(`${this.#clock}.new`, new Date(time).toISOString())
    renameSync(`${this.#clock}.new`, this.#clock)
  }

  async start(): Promise<void> {
    const script = join(import.meta.dirname, 'lapse-server.ts')
    const child = spawn(process.execPath, [script, this.#clock], {
      env: { PATH: process.env['PATH'], ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#children.push(child)
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    this.#nodes.push({ child, url: chunk.toString().trim() })
  }

  /** Kills the oldest server with SIGKILL and starts another one. */
  async kill(): Promise<void> {
    const node = this.#nodes.shift()
    node?.child.kill('SIGKILL')
    if (node !== undefined) await once(node.child, 'exit')
    await this.start()
  }

  async request<T>(method: string, path: string, body?: object): Promise<T> {
    const url = `${this.#nodes.at(-1)?.url}${path}`
    const headers = { ...basicAuth('admin', adminPassword), 'content-type': 'application/json' }
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const reply = await fetch(url, { method, headers, body: sent })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text) as T
  }

  async runs(name: string): Promise<ShownRun[]> {
    return (await this.request<{ runs: ShownRun[] }>('GET', `/rest/sources/${name}/runs?limit=1000`)).runs
  }

  /** Sorted values of an attribute of a layer. */
  async values(layer: string, attribute: string): Promise<unknown[]> {
    type Answer = { features: { properties: Record<string, unknown> }[] }
    const path = `/ogc/collections/default:${layer}/items?limit=1000&f=json`
    const { features } = await this.request<Answer>('GET', path)
    return features.map(({ properties }) => properties[attribute]).sort()
  }
}

export type LapseRuns = Record<(typeof names)[number], ShownRun[]>

/** Lets days pass with three sources (HTTP file, ArcGIS service, watched folder); returns all runs. */
export async function liveThrough(
  test: TestContext,
  lapse: Lapse,
  { firstDay, days, nodes, faults }: LapseOptions,
): Promise<LapseRuns> {
  const origins = await startOrigins(test, lapse.folder)
  lapse.setTime(firstDay)
  for (let node = 0; node < nodes; node += 1) await lapse.start()
  for (const source of sourcesOf(origins)) await lapse.request('POST', '/rest/sources', { source })
  for (let day = 1; day <= days; day += 1) {
    const { webFailures = 0, busy = 0, service, isKilled = false } = faults(day)
    origins.deliver(day)
    origins.web.failures = webFailures
    origins.esri.busy = busy
    origins.esri.fault = service
    const time = firstDay + day * dayMs + 2 * 3_600_000
    lapse.setTime(time)
    await untilDue(lapse, day)
    lapse.setTime(time + 120_000)
    if (isKilled) await lapse.kill()
    await untilDone(lapse, day, time, () => {
      origins.esri.fault = undefined
    })
    assert.deepEqual([origins.web.failures, origins.esri.busy], [0, 0], `day ${day} met its faults`)
  }
  const [web, service, folder] = await Promise.all(names.map((name) => lapse.runs(name)))
  return { web: web ?? [], service: service ?? [], folder: folder ?? [] }
}

type Origins = Awaited<ReturnType<typeof startOrigins>>

/** Starts the servers, and the folder, that the sources read. */
async function startOrigins(test: TestContext, folder: string) {
  const web = { failures: 0, day: 0 }
  const esri = arcgis()
  const inbox = join(folder, 'inbox')
  mkdirSync(inbox)
  const file = await startWebServer(test, (_request, reply) => {
    if (web.failures > 0) {
      web.failures -= 1
      return void reply.writeHead(503, { 'retry-after': '1' }).end()
    }
    reply.end(
      points([
        [1, `day ${web.day}`],
        [2, 'same'],
      ]),
    )
  })
  const service = `${await startWebServer(test, esri.listener)}/rest/services/trees/FeatureServer`
  const deliver = (day: number): void => {
    web.day = day
    esri.state.ids = [1, 2, 3, 4, 5 + day]
    writeFileSync(join(inbox, `day${day}.geojson`), points([[day, `day ${day}`]]))
  }
  return { web, esri: esri.state, file: `${file}/a.geojson`, service, inbox, deliver }
}

function sourcesOf({ file, service, inbox }: Origins): object[] {
  const retry = { times: 5, firstSeconds: 1 }
  const data = { type: 'service', kind: 'arcgis-featureserver', location: service, layer: '0' }
  return [
    { name: 'web', data: { type: 'remote', location: file }, target: { layer: 'web' }, schedule, retry },
    { name: 'service', data, target: { layer: 'service' }, schedule, retry },
    {
      name: 'folder',
      data: { type: 'directory', location: inbox },
      target: { layer: 'folder' },
      updateMode: 'APPEND',
      schedule: { watch: true, quietSeconds: 60 },
      retry,
    },
  ]
}

/** Waits until a run of the day exists. */
async function untilDue(lapse: Lapse, day: number): Promise<void> {
  await until(async () => {
    const [web, service] = await Promise.all([lapse.runs('web'), lapse.runs('service')])
    return web.length >= day && service.length >= day
  })
}

/** Waits until the runs of the day have ended; calls `repair` when the service's run has met the fault. */
async function untilDone(lapse: Lapse, day: number, time: number, repair: () => void): Promise<void> {
  let seconds = 120
  await until(async () => {
    // Time goes on, so that waits between attempts and quiet times end.
    seconds = Math.min(seconds + 61, mostSecondsADay)
    lapse.setTime(time + seconds * 1000)
    const all = await Promise.all(names.map((name) => lapse.runs(name)))
    if (all[1]?.[0] !== undefined && all[1][0].attempts > 0) repair()
    return all.every((runs) => runs.length >= day && runs.every(({ outcome }) => outcome !== null))
  })
}
