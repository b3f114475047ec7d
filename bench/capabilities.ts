// `node bench/capabilities.ts [LAYERS]`: capabilities of a server with 10,000 layers, and how long others wait meanwhile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import { createTestApp } from '../tests/support/app.ts'
import { fillCatalogue } from './many-layers.ts'
import { quantile } from './quantile.ts'
import type { BenchServer } from './server.ts'
import { benchPassword, startBenchServer } from './server.ts'

const layers = Number(process.argv[2] ?? 10_000)
const rounds = 15
const headers = { authorization: basicAuthorization('admin', benchPassword) }
const documents = {
  'WMS 1.3.0': '/wms?service=WMS&request=GetCapabilities',
  'WMS 1.1.1': '/wms?service=WMS&request=GetCapabilities&version=1.1.1',
  'WFS 2.0.0': '/wfs?service=WFS&request=GetCapabilities',
  'WFS 1.1.0': '/wfs?service=WFS&request=GetCapabilities&version=1.1.0',
  'WFS, all types': '/default/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType',
  'WCS 2.0.1': '/wcs?service=WCS&request=GetCapabilities',
  WMTS: '/wmts?service=WMTS&request=GetCapabilities',
  TMS: '/gwc/service/tms/1.0.0',
}

interface Taken {
  first: number
  whole: number
  bytes: number
}

async function take(url: string): Promise<Taken> {
  const begun = performance.now()
  const reply = await fetch(url, { headers })
  if (!reply.ok || reply.body === null) throw new Error(`${url}: ${reply.status}`)
  let [first, bytes] = [0, 0]
  for await (const chunk of reply.body) {
    if (bytes === 0) first = performance.now() - begun
    bytes += chunk.length
  }
  return { first, whole: performance.now() - begun, bytes }
}

/** Returns the longest response time of another client that sends requests all the time. */
async function longestWait({ url }: BenchServer, end: AbortSignal): Promise<number> {
  let longest = 0
  while (!end.aborted) {
    const begun = performance.now()
    await (await fetch(`${url}/health`)).text()
    longest = Math.max(longest, performance.now() - begun)
    await setTimeout(1)
  }
  return longest
}

async function measure(server: BenchServer): Promise<void> {
  console.log(
    '| document | first time, ms | then, ms | until it begins, ms | others wait at most, ms | MiB |',
  )
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const [name, path] of Object.entries(documents)) {
    const { whole: cold } = await take(`${server.url}${path}`)
    const end = new AbortController()
    const others = longestWait(server, end.signal)
    const taken: Taken[] = []
    for (let round = 0; round < rounds; round += 1) taken.push(await take(`${server.url}${path}`))
    end.abort()
    const middle = (of: (one: Taken) => number): string => quantile(taken.map(of), 0.5).toFixed(0)
    const size = ((taken[0]?.bytes ?? 0) / 2 ** 20).toFixed(1)
    const cells = [name, cold.toFixed(0), middle((one) => one.whole), middle((one) => one.first)]
    console.log(`| ${cells.join(' | ')} | ${(await others).toFixed(0)} | ${size} |`)
  }
  console.log(`\nmemory at most ${server.peakMegabytes().toFixed(0)} MB`)
}

const data = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
try {
  const filled = await createTestApp({ dataDir: data, env: { TERRANE_ADMIN_PASSWORD: benchPassword } })
  await fillCatalogue(filled, layers)
  await filled.close()
  const server = await startBenchServer(data, { data })
  await measure(server).finally(() => server.stop())
} finally {
  rmSync(data, { recursive: true, force: true })
}
