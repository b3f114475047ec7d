import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { adminPassword, basicAuth } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { arcgis } from '../../support/sources/arcgis-server.ts'
import { points, type ShownRun } from '../../support/sources/source-client.ts'
import { until } from '../../support/until.ts'
import { startWebServer } from '../../support/web-server.ts'

const days = 50
/** The clocks of Europe skip an hour on 29 March 2026, on the 19th day. */
const firstDay = Date.UTC(2026, 2, 10)
const dayMs = 86_400_000
const schedule = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' }
const killedNodes: ChildProcess[] = []

after(() => {
  for (const node of killedNodes) node.kill('SIGKILL')
})

/** Servers of one catalogue that read the time from a file. */
class Lapse {
  readonly folder: string
  readonly #clock: string
  readonly #env: Record<string, string>
  #nodes: { child: ChildProcess; url: string }[] = []

  constructor(folder: string, env: Record<string, string>) {
    this.folder = folder
    this.#clock = join(folder, 'clock')
    this.#env = env
  }

  setTime(time: number): void {
    writeFileSync(`${this.#clock}.new`, new Date(time).toISOString())
    renameSync(`${this.#clock}.new`, this.#clock)
  }

  async start(): Promise<void> {
    const script = join(import.meta.dirname, '../../support/sources/lapse-server.ts')
    const child = spawn(process.execPath, [script, this.#clock], {
      env: { PATH: process.env['PATH'], ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    killedNodes.push(child)
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
    const reply = await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text) as T
  }

  async runs(name: string): Promise<ShownRun[]> {
    return (await this.request<{ runs: ShownRun[] }>('GET', `/rest/sources/${name}/runs?limit=1000`)).runs
  }
}

/** Lets 50 days pass with three sources, with faults and kills; returns all runs. */
async function liveThrough(
  test: TestContext,
  lapse: Lapse,
  nodes: number,
): Promise<Record<string, ShownRun[]>> {
  let day = 0
  let failures = 0
  const web = await startWebServer(test, (_request, reply) => {
    if (failures > 0) {
      failures -= 1
      return void reply.writeHead(503, { 'retry-after': '0' }).end()
    }
    reply.end(
      points([
        [1, `day ${day}`],
        [2, 'same'],
      ]),
    )
  })
  const esri = arcgis()
  const service = `${await startWebServer(test, esri.listener)}/rest/services/trees/FeatureServer`
  const inbox = join(lapse.folder, 'inbox')
  mkdirSync(inbox)
  lapse.setTime(firstDay)
  for (let node = 0; node < nodes; node += 1) await lapse.start()
  const create = (source: object) => lapse.request('POST', '/rest/sources', { source })
  const retry = { times: 5, firstSeconds: 1 }
  await create({
    name: 'web',
    data: { type: 'remote', location: `${web}/a.geojson` },
    target: { layer: 'web' },
    schedule,
    retry,
  })
  const data = { type: 'service', kind: 'arcgis-featureserver', location: service, layer: '0' }
  await create({ name: 'service', data, target: { layer: 'service' }, schedule, retry })
  const watch = { watch: true, quietSeconds: 60 }
  const folder = { type: 'directory', location: inbox }
  await create({
    name: 'folder',
    data: folder,
    target: { layer: 'folder' },
    updateMode: 'APPEND',
    schedule: watch,
    retry,
  })
  for (day = 1; day <= days; day += 1) {
    esri.state.ids = [1, 2, 3, 4, 5 + day]
    if (day % 9 === 0) failures = 2
    if (day % 11 === 0) esri.state.busy = 1
    writeFileSync(join(inbox, `day${day}.geojson`), points([[day, `day ${day}`]]))
    const time = firstDay + day * dayMs + 2 * 3_600_000
    lapse.setTime(time)
    await untilDue(lapse, day)
    lapse.setTime(time + 120_000)
    if (day % 10 === 5) await lapse.kill()
    await untilDone(lapse, day, time)
  }
  return {
    web: await lapse.runs('web'),
    service: await lapse.runs('service'),
    folder: await lapse.runs('folder'),
  }
}

/** Waits until a run of the day exists, and the new file was seen. */
async function untilDue(lapse: Lapse, day: number): Promise<void> {
  await until(async () => {
    const [web, service] = await Promise.all([lapse.runs('web'), lapse.runs('service')])
    return web.length >= day && service.length >= day
  })
}

async function untilDone(lapse: Lapse, day: number, time: number): Promise<void> {
  let seconds = 120
  await until(async () => {
    // Time goes on, so that waits between attempts and quiet times end.
    seconds += 61
    lapse.setTime(time + seconds * 1000)
    const all = await Promise.all(['web', 'service', 'folder'].map((name) => lapse.runs(name)))
    return all.every((runs) => runs.length >= day && runs.every(({ outcome }) => outcome !== null))
  })
}

function check(runs: Record<string, ShownRun[]>): void {
  for (const [name, all] of Object.entries(runs)) {
    const outcomes = all.map(({ outcome, message }) =>
      outcome === 'loaded' ? outcome : `${outcome}: ${message}`,
    )
    assert.deepEqual(
      outcomes,
      Array.from({ length: days }, () => 'loaded'),
      name,
    )
    assert.equal(new Set(all.map(({ due }) => due)).size, days, `${name}: each time once`)
  }
  const due = runs['web']?.map((run) => run.due) ?? []
  assert.ok(due.includes('2026-03-29T01:00:00.000Z'), 'the skipped hour runs once at its end')
}

async function checkLayers(lapse: Lapse): Promise<void> {
  const read = async (layer: string, name: string) => {
    const path = `/ogc/collections/default:${layer}/items?limit=1000&f=json`
    const { features } = await lapse.request<{ features: { properties: Record<string, unknown> }[] }>(
      'GET',
      path,
    )
    return features.map(({ properties }) => properties[name])
  }
  assert.deepEqual((await read('web', 'name')).sort(), [`day ${days}`, 'same'])
  assert.deepEqual(
    (await read('folder', 'gid')).map(Number).sort((a, b) => a - b),
    Array.from({ length: days }, (_, index) => index + 1),
  )
  assert.equal((await read('service', 'kind')).length, 5)
}

function open(test: TestContext, env: Record<string, string> = {}): Lapse {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-lapse-'))
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return new Lapse(folder, {
    TERRANE_DATA: join(folder, 'data'),
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_MONITORING: 'off',
    TERRANE_ADMIN_PASSWORD: adminPassword,
    TERRANE_IMPORT_ROOTS: folder,
    TERRANE_REMOTE_ALLOW: '127.0.0.1/32',
    ...env,
  })
}

describe('three sources over 50 days with kills, faults and a change of the clocks', () => {
  it('run exactly once each on an embedded catalogue', async (test) => {
    const lapse = open(test)
    check(await liveThrough(test, lapse, 1))
    await checkLayers(lapse)
  })

  it('run exactly once each on two servers of one PostgreSQL', async (test) => {
    const lapse = open(test, { TERRANE_DATABASE_URL: await createCatalogDatabase() })
    check(await liveThrough(test, lapse, 2))
    await checkLayers(lapse)
  })
})
