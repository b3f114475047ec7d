import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogLineParser } from '../src/monitoring/collect/access-log/log-line.ts'
import { Collector } from '../src/monitoring/collect/collector.ts'
import type { CollectedService } from '../src/monitoring/collect/service-collector.ts'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import { createSeriesWriter } from '../src/monitoring/series/series-writer.ts'
import { seededRandom } from './random.ts'
import type { SmallResult } from './report.ts'

/** A busy server's morning, and a quiet server's days. */
const cases = [
  { lines: 300_000, hours: 6 },
  { lines: 10_000, hours: 72 },
]
const hourMs = 3_600_000
const clients = 3000
/** Number of concurrent viewers; each sends some forty requests for a few layers before it leaves. */
const viewerCount = 20
const requestsOfViewer = 40
const layersOfViewer = 4
const end = Date.UTC(2025, 10, 1)
const keep = { minuteDays: 0, hourDays: 0, dayDays: 0, requestDays: 0, exceptionDays: 0, maxBytes: 0 }
const layers = Array.from({ length: 50 }, (_, index) => `workspace:layer_${index}`)
const agents = [
  'Mozilla/5.0 QGIS/34003/Linux',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'python-requests/2.32.3',
]

/** A map server's access log: parsed alone, and read into the series until every minute is computed. */
export async function runBackfill(folder: string): Promise<SmallResult[]> {
  const results: SmallResult[] = []
  for (const { lines, hours } of cases) {
    const path = await accessLog(folder, lines, hours)
    const name = `${lines.toLocaleString('en')} log lines of ${hours} hours`
    const parsing = await timeParsing(path)
    const { collecting, computing, rows } = await timeBackfill(path)
    results.push(
      { name: `${name} parsed`, milliseconds: parsing, targetMilliseconds: lines / 300 },
      {
        name: `${name} read into the request log`,
        milliseconds: collecting,
        targetMilliseconds: lines / 100,
      },
      {
        name: `${name} read, and computed into ${rows.toLocaleString('en')} rows`,
        milliseconds: collecting + computing,
        targetMilliseconds: lines / 100,
      },
    )
  }
  return results
}

async function timeParsing(path: string): Promise<number> {
  const bytes = Buffer.alloc(statSync(path).size)
  const file = await open(path)
  await file.read(bytes)
  await file.close()
  const parser = new LogLineParser()
  const start = performance.now()
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(0x0a, at)
    if (typeof parser.parse(bytes, at, lineEnd) === 'string') throw new Error('A line was not parsed')
    at = lineEnd + 1
  }
  return performance.now() - start
}

/** Measures the processor time of one thread on SQLite, for collecting and for computing minutes. */
export async function timeBackfill(
  log: string,
): Promise<{ collecting: number; computing: number; rows: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-backfill-'))
  const service: CollectedService = {
    id: 1,
    name: 'maps',
    type: 'mapserver',
    url: 'https://maps.example.org',
    checkIntervalSeconds: 60,
    source: { kind: 'log', path: log },
  }
  const location = { path: join(folder, 'monitoring.sqlite') }
  let computing = 0
  const openWriter: typeof createSeriesWriter = (database, limits) => {
    const writer = createSeriesWriter(database, limits)
    const settle = writer.settle.bind(writer)
    writer.settle = async (now) => {
      const used = process.cpuUsage()
      const settled = await settle(now)
      computing += millisecondsSince(used)
      return settled
    }
    return writer
  }
  const collector = new Collector(
    { location, limits: { labels: 100, visitors: 10_000, resources: 500 }, keep, privacy: 'truncated' },
    openWriter,
    (level, facts, message) => {
      if (level !== 'debug' && level !== 'info') console.error(message, facts)
    },
  )
  try {
    await collector.setServices([service])
    const used = process.cpuUsage()
    for (let now = end; (await readBytes(location)) < statSync(log).size; now += 60_000)
      await collector.catchUp(now)
    const collecting = millisecondsSince(used) - computing
    return { collecting, computing, rows: await countRows(location) }
  } finally {
    await collector.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the processor time of this process since `used`. */
export function millisecondsSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used)
  return (user + system) / 1000
}

async function countRows(location: { path: string }): Promise<number> {
  const database = await openSeriesDatabase(location)
  try {
    return Number((await database.arrays('select count(*) from monitoring_minutes'))[0]?.[0])
  } finally {
    await database.close()
  }
}

async function readBytes(location: { path: string }): Promise<number> {
  const database = await openSeriesDatabase(location)
  try {
    const [found] = await database.arrays("select value from monitoring_cursors where source = 'log:1'")
    const cursor = found === undefined ? { files: [] } : JSON.parse(String(found[0]))
    return cursor.files.at(-1)?.offset ?? 0
  } finally {
    await database.close()
  }
}

interface Viewer {
  client: string
  agent: string
  requested: string[]
}

/** Lines of a map viewer's requests: tiles of maps, features and legends, some failures. */
export async function accessLog(folder: string, count: number, hours: number): Promise<string> {
  const path = join(folder, `access-${count}-${hours}h.log`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const file = createWriteStream(`${path}.part`)
  const random = seededRandom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)] as T
  const newViewer = (): Viewer => {
    const number = Math.floor(random() ** 2 * clients)
    const client = `198.${18 + (number >> 12)}.${(number >> 4) & 255}.${number & 15}`
    return {
      client,
      agent: pick(agents),
      requested: Array.from({ length: layersOfViewer }, () => pick(layers)),
    }
  }
  const viewers: Viewer[] = []
  for (let index = 0; index < count; index += 1) {
    const time = new Date(end - hours * hourMs + Math.floor((index / count) * hours * hourMs))
    const place = Math.floor(random() * viewerCount)
    if (viewers[place] === undefined || random() < 1 / requestsOfViewer) viewers[place] = newViewer()
    const { client, agent, requested } = viewers[place]
    const bbox = Array.from({ length: 4 }, () => (random() * 1e6).toFixed(2)).join(',')
    const request =
      random() < 0.9
        ? `GET /cgi-bin/mapserv?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=${pick(requested)}&CRS=EPSG:3857&BBOX=${bbox}&WIDTH=256&HEIGHT=256&FORMAT=image/png HTTP/1.1`
        : `GET /cgi-bin/mapserv?SERVICE=WFS&REQUEST=GetFeature&TYPENAMES=${pick(requested)} HTTP/1.1`
    const status = random() < 0.99 ? 200 : random() < 0.5 ? 404 : 502
    const rest = `"https://maps.example.org/" "${agent}" rt=${random().toFixed(3)}`
    const line = `${client} - - [${logTime(time)}] "${request}" ${status} ${Math.floor(random() * 1e5)} ${rest}\n`
    if (!file.write(line)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  renameSync(`${path}.part`, path)
  return path
}

function logTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ')
  return `${day}/${month}/${year}:${clock} +0000`
}
