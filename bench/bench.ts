// `npm run bench [-- --only TEXT --rows N --runs N --query TEXT]`: measures loads compared with ogr2ogr, and
// monitoring; writes bench/results.md. With `--only` or `--rows` it prints the results and leaves the file
// unchanged.
// `looks` (two minutes): inspection of a file of a gigabyte before its load. `dry runs` (four minutes): dry
// runs. `restore`, `rejects`.
// `items` (two minutes): pages of features under load, compared with MapServer; part `memory` (a minute and a
// half).
// `pages` (a minute): pages in a browser.
// `tiles` (ten minutes): vector tiles compared with `ST_AsMVT` and MapServer; `--only tiles --part
// polygons-4326 --share 0.05` selects some of them and fewer rows.
// `npm run bench -- --guard` (two minutes): ratios of small cases to their peers, compared with those of
// bench/guard.json. `--record` writes them there. It does not run if the load average is above 1;
// `--allowed-load 20` raises this limit.
// Parts of monitoring: monitoring-recording, monitoring-sustained, monitoring-backfill, monitoring-queries
// (`--query` selects some), monitoring-fairness.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../tests/support/postgres.ts'
import { runAnswers } from './answers.ts'
import type { LoadCase } from './cases.ts'
import { loadCases } from './cases.ts'
import { timeCopyLimit } from './copy-limit.ts'
import type { Dataset } from './data.ts'
import { dataFile } from './data.ts'
import { dryRunsReport, runDryRuns } from './dry-runs.ts'
import { runFileLayers } from './file-layers.ts'
import { runGuard } from './guard.ts'
import type { ItemsResults } from './items.ts'
import { itemsReport, runItems } from './items.ts'
import { createStore, timeLoad } from './load.ts'
import { runLooks } from './looks.ts'
import { memoryReport, runMemory } from './memory.ts'
import { runBackfill } from './monitoring-backfill.ts'
import { runFairness } from './monitoring-fairness.ts'
import type { YearResults } from './monitoring-queries.ts'
import { runMonitoringQueries } from './monitoring-queries.ts'
import { runRecording } from './monitoring-recording.ts'
import { runSustained } from './monitoring-sustained.ts'
import { pagesReport, runPages } from './pages.ts'
import { timePeer } from './peer.ts'
import { runRejects } from './rejects.ts'
import type { LoadResult } from './report.ts'
import { report, resultHead, resultLine, smallLine } from './report.ts'
import { runRestores } from './restore.ts'
import { runScan } from './scan.ts'
import { startBenchServer } from './server.ts'
import { runSmallFiles } from './small-files.ts'
import { tilesReport } from './tiles/report-tiles.ts'
import type { TilesResults } from './tiles/run-tiles.ts'
import { runTiles } from './tiles/run-tiles.ts'

const folder = join(import.meta.dirname, '.data')
/** Polygons of a GeoJSON file of a gigabyte. */
const looksRows = 2_200_000
const fullRows: Record<Dataset, number> = { points: 1_000_000, polygons: 500_000 }

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rows: { type: 'string' },
    runs: { type: 'string', default: '3' },
    query: { type: 'string' },
    part: { type: 'string' },
    share: { type: 'string' },
    guard: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    'allowed-load': { type: 'string' },
  },
})
if (options.guard) {
  const allowedLoad = options['allowed-load'] === undefined ? undefined : Number(options['allowed-load'])
  process.exit((await runGuard(folder, { isRecording: options.record, allowedLoad })) ? 0 : 1)
}
const runs = Number(options.runs)
const tilesOptions = {
  ...(options.share === undefined ? {} : { share: Number(options.share) }),
  ...(options.part === undefined ? {} : { only: options.part }),
}
const noTiles: TilesResults = { tiles: [], cached: [], mapServer: [] }
const noItems: ItemsResults = { items: [], memory: undefined }

async function runCase(one: LoadCase, databaseUrl: URL): Promise<LoadResult> {
  const rows = options.rows === undefined ? fullRows[one.dataset] : Number(options.rows)
  const file = await dataFile(folder, one.dataset, one.kind, rows)
  const hasPeer = one.targetRatio > 0
  const hasLimit = one.target === 'PostGIS' && !['geojson', 'csv', 'kml', 'geoparquet'].includes(one.kind)
  const ours: number[] = []
  const peer: number[] = []
  const limit: number[] = []
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, one.target, databaseUrl)
    for (let run = 0; run < runs; run += 1) {
      ours.push(await timeLoad(server.client, one, file))
      if (hasPeer) peer.push(await timePeer(one, file, databaseUrl, folder))
      if (hasLimit) limit.push(await timeCopyLimit(file, databaseUrl))
    }
    const peakMegabytes = server.peakMegabytes()
    const { name, targetRatio } = one
    const peerPart = hasPeer ? { peer: median(peer) } : {}
    const limitPart = hasLimit ? { limit: median(limit) } : {}
    return { name, rows, ours: median(ours), ...peerPart, ...limitPart, targetRatio, peakMegabytes }
  } finally {
    await server.stop()
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const only = options.only ?? ''
const isWhole = options.only === undefined && options.rows === undefined
const cluster = await startPostgres({ isDurable: true })
try {
  const newDatabase = async (): Promise<URL> => new URL(await cluster.createDatabase())
  const databaseUrl = await newDatabase()
  const results: LoadResult[] = []
  console.log(resultHead)
  for (const one of loadCases.filter(({ name }) => name.includes(only))) {
    const result = await runCase(one, databaseUrl)
    results.push(result)
    console.log(resultLine(result))
  }
  const small = [
    ...('small-files'.includes(only) ? await runSmallFiles(folder) : []),
    ...('file-layers'.includes(only)
      ? await runFileLayers(folder, options.rows === undefined ? undefined : Number(options.rows))
      : []),
    ...('restore'.includes(only)
      ? await runRestores(folder, await newDatabase(), Number(options.rows ?? fullRows.polygons))
      : []),
    ...('scan'.includes(only) ? await runScan(folder) : []),
    ...('rejects'.includes(only)
      ? await runRejects(folder, options.rows === undefined ? undefined : Number(options.rows))
      : []),
    ...('looks'.includes(only) ? await runLooks(folder, Number(options.rows ?? looksRows)) : []),
    ...('monitoring-recording'.includes(only) ? await runRecording(folder) : []),
    ...('monitoring-sustained'.includes(only) ? await runSustained(await newDatabase()) : []),
    ...('monitoring-backfill'.includes(only) ? await runBackfill(folder) : []),
    ...('monitoring-fairness'.includes(only) ? await runFairness(await newDatabase()) : []),
    ...('answers'.includes(only) ? await runAnswers(folder, Number(options.rows ?? fullRows.points)) : []),
  ]
  for (const result of small) console.log(smallLine(result))
  const year: YearResults = 'monitoring-queries'.includes(only)
    ? await runMonitoringQueries(await newDatabase(), options.query)
    : { queries: [], others: [], sizes: [] }
  for (const result of year.others) console.log(smallLine(result))
  for (const text of year.sizes) console.log(text)
  const items = 'items'.includes(only) ? await runItems(folder, await newDatabase()) : noItems
  const dryRuns =
    'dryRuns'.includes(only) &&
    (await runDryRuns(folder, await newDatabase(), { rows: Number(options.rows ?? fullRows.polygons), runs }))
  const dryRunEnded = dryRuns === false ? '' : dryRunsReport(dryRuns)
  const memory = memoryReport('memory'.includes(only) ? await runMemory(folder, await newDatabase()) : [])
  const tiles = 'tiles'.includes(only) ? await runTiles(folder, await newDatabase(), tilesOptions) : noTiles
  const pages = 'pages'.includes(only)
    ? await runPages(folder, Number(options.rows ?? fullRows.points))
    : undefined
  const shown = pages === undefined ? '' : pagesReport(pages)
  const served = `${itemsReport(items)}${dryRunEnded}${memory}${tilesReport(tiles)}${shown}`
  console.log(served)
  const { queries, others, sizes } = year
  const text = await report({
    loads: results,
    small: [...small, ...others],
    queries,
    sizes,
    runs,
    items: served,
  })
  if (isWhole) writeFileSync(join(import.meta.dirname, 'results.md'), text)
} finally {
  await cluster.stop()
}
