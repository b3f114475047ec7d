import { createWriteStream, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readImport } from '../src/cli/import-views.ts'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import type { SmallResult } from './report.ts'
import type { BenchServer } from './server.ts'
import { benchPassword, startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const authorization = basicAuthorization('admin', benchPassword)
/** A request that waits for nothing but the main thread. */
const answerMs = 20
const limitMs = 60_000

/** Rows of which all but the first have no latitude. */
async function wrongRows(folder: string, rows: number): Promise<string> {
  const path = join(folder, `wrong_${rows}.csv`)
  if (existsSync(path)) return path
  function* lines(): Generator<string> {
    yield 'gid,lat,lon,name\n1,52,13,good\n'
    for (let gid = 2; gid <= rows + 1; gid += 1) yield `${gid},north,${gid % 180},name ${gid}\n`
  }
  await pipeline(Readable.from(lines()), createWriteStream(`${path}.part`))
  renameSync(`${path}.part`, path)
  return path
}

interface Fetched {
  milliseconds: number
  bytes: number
  peak: number
  /** Slowest response to the requests sent meanwhile. */
  slowestMs: number
}

/** Fetches something while others ask for something small. */
async function fetchWatched({ url, pid }: BenchServer, path: string): Promise<Fetched> {
  const watch = new MemoryWatch(pid)
  const done = new AbortController()
  const slowest = askMeanwhile(url, done.signal)
  const begun = performance.now()
  const reply = await fetch(`${url}${path}`, { headers: { authorization } })
  if (reply.status !== 200 || reply.body === null) throw new Error(`${path}: ${reply.status}`)
  let bytes = 0
  for await (const chunk of reply.body) bytes += chunk.length
  const milliseconds = performance.now() - begun
  done.abort()
  watch.stop()
  return { milliseconds, bytes, peak: watch.peak, slowestMs: await slowest }
}

async function askMeanwhile(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0
  while (!signal.aborted) {
    const begun = performance.now()
    await (await fetch(`${url}/health`, { headers: { authorization } })).arrayBuffer()
    slowest = Math.max(slowest, performance.now() - begun)
    await sleep(answerMs)
  }
  return slowest
}

/** Measures rejected rows: loading, listing, downloading as a file, and correcting. */
export async function runRejects(folder: string, rows = 1_000_000): Promise<SmallResult[]> {
  const file = await wrongRows(folder, rows)
  const server = await startBenchServer(folder)
  const results: SmallResult[] = []
  const tell = (name: string, milliseconds: number): void => {
    results.push({ name: `${rows} rejected rows, ${name}`, milliseconds, targetMilliseconds: limitMs })
  }
  try {
    const { client } = server
    const transforms = [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }]
    const created = await client.post('/rest/imports', {
      import: { data: { type: 'file', file }, transforms },
    })
    const path = `/rest/imports/${readImport(created).id}`
    await client.put(`${path}/tasks/0`, {
      task: { rejectLimit: rows, layer: { srs: 'EPSG:4326', name: 'mended' } },
    })
    const watch = new MemoryWatch(server.pid)
    const begun = performance.now()
    await client.post(path)
    watch.stop()
    tell(`loaded, at most ${watch.peak} MB`, performance.now() - begun)
    for (const form of ['f=csv', 'f=geojson', 'format=source']) {
      const got = await fetchWatched(server, `${path}/tasks/0/rejects?${form}`)
      const size = `${Math.round(got.bytes / 1e6)} MB in the answer`
      const others = `others waited ${Math.round(got.slowestMs)} ms at most`
      tell(`${form}: ${size}, at most ${got.peak} MB held, ${others}`, got.milliseconds)
    }
    const sent = await submitCorrections(server, `${path}/tasks/0/rejects`)
    tell(`mended and sent back, at most ${sent.peak} MB`, sent.milliseconds)
    return results
  } finally {
    await server.stop()
  }
}

/** The rows as they came, with a latitude. */
async function submitCorrections(
  { url, pid }: BenchServer,
  path: string,
): Promise<{ milliseconds: number; peak: number }> {
  const got = await fetch(`${url}${path}?format=source`, { headers: { authorization } })
  const text = (await got.text()).replaceAll(',north,', ',51,')
  const watch = new MemoryWatch(pid)
  const begun = performance.now()
  const reply = await fetch(`${url}${path}?name=corrected.csv`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: text,
  })
  const answer = await reply.text()
  watch.stop()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${answer.slice(0, 1000)}`)
  return { milliseconds: performance.now() - begun, peak: watch.peak }
}
