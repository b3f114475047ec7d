import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { loadavg } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { readImport } from '../src/cli/import-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import type { Target } from './cases.ts'
import { targets } from './cases.ts'
import { dataFile } from './data.ts'
import { createStore } from './load.ts'
import type { Took } from './processor-time.ts'
import { findPostmaster, ProcessorTime } from './processor-time.ts'
import { quantile } from './quantile.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'
import type { TwoFiles, UpsertPeer } from './upsert-peers.ts'
import { ogrUpsert, onConflict } from './upsert-peers.ts'

const keys = ['ident']
/** Targets, as factors of the duration of the load itself. */
const targetOfAdded = 1.15
const targetOfCompared = 1.5
const targetMegabytes = 350

interface Task {
  updateMode: 'CREATE' | 'REPLACE' | 'APPEND' | 'UPSERT'
  keys?: string[]
  stopIf?: object
}

/** Limits of every kind, none of which stops what comes. */
const stopIf = {
  removed: { percent: 50 },
  changed: { percent: 50 },
  columns: 'lost',
  crs: true,
  fewer: 1,
  empty: { name: { percent: 50 } },
  values: { ident: { min: 0 } },
  outside: [-1e9, -1e9, 1e9, 1e9],
}

const kinds = [
  'CREATE',
  'dry run of CREATE',
  'APPEND',
  'dry run of APPEND',
  'REPLACE',
  'dry run by keys',
  'dry run by rows',
  'dry run with rules',
  'UPSERT',
  'UPSERT of the same',
] as const
type RunKind = (typeof kinds)[number]

type Times = Record<RunKind, Took[]>

/** One of our operations compared with another way to do the same, in the same run. */
interface Compared {
  name: string
  target: Target
  ours: Took[]
  beside: string
  theirs: Took[]
  targetRatio: number
}

export interface DryRunResults {
  rows: number
  compared: Compared[]
  memory: { target: Target; megabytes: number }[]
  /** The least and the most that the machine had to do, by its own count over a minute. */
  load: [number, number]
}

/** The polygons with another name in each hundredth row. */
async function changedFile(folder: string, rows: number): Promise<TwoFiles> {
  const file = await dataFile(folder, 'polygons', 'geopackage', rows)
  const changed = file.replace(/\.gpkg$/, '_changed.gpkg')
  if (existsSync(changed)) return { file, changed }
  const part = `${changed}.part.gpkg`
  copyFileSync(file, part)
  const db = new DatabaseSync(part)
  // Functions that the triggers of the file name; no trigger fires if geometry and key stay the same.
  for (const name of ['ST_IsEmpty', 'ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY'])
    db.function(name, (_geometry) => 0)
  db.exec(`UPDATE polygons SET name = name || ' new' WHERE ident % 100 = 0`)
  db.close()
  renameSync(part, changed)
  return { file, changed }
}

/** Alternates loads and dry runs of the files and measures each from start to end. */
class Rounds {
  readonly times = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Times
  readonly peerTimes: readonly Took[][]
  readonly #client: RestClient
  readonly #time: ProcessorTime
  readonly #files: TwoFiles
  readonly #peers: readonly UpsertPeer[]

  constructor(client: RestClient, time: ProcessorTime, files: TwoFiles, peers: readonly UpsertPeer[]) {
    this.#client = client
    this.#time = time
    this.#files = files
    this.#peers = peers
    this.peerTimes = peers.map(() => [])
  }

  async warmUp(): Promise<void> {
    await this.#run(await this.#create(this.#files.file, { updateMode: 'CREATE' }, 'first'))
    for (const peer of this.#peers) await peer.measure(this.#time)
  }

  /** Runs the compared variants right after each other, since the speed of the machine varies over time. */
  async round(name: string): Promise<void> {
    const { file, changed } = this.#files
    await this.#performDryRun('dry run of CREATE', file, { updateMode: 'CREATE' }, name)
    await this.#load('CREATE', file, { updateMode: 'CREATE' }, name)
    await this.#load('REPLACE', file, { updateMode: 'REPLACE' }, name)
    await this.#performDryRun('dry run by rows', changed, { updateMode: 'REPLACE' }, name)
    await this.#load('REPLACE', file, { updateMode: 'REPLACE' }, name)
    await this.#performDryRun('dry run by keys', changed, { updateMode: 'REPLACE', keys }, name)
    await this.#performDryRun('dry run with rules', changed, { updateMode: 'REPLACE', keys, stopIf }, name)
    await this.#load('UPSERT', changed, { updateMode: 'UPSERT', keys }, name)
    for (const [number, peer] of this.#peers.entries())
      this.peerTimes[number]?.push(await peer.measure(this.#time))
    await this.#load('UPSERT of the same', changed, { updateMode: 'UPSERT', keys }, name)
    await this.#load('REPLACE', file, { updateMode: 'REPLACE' }, name)
    await this.#load('UPSERT', changed, { updateMode: 'UPSERT', keys }, name)
    await this.#performDryRun('dry run of APPEND', file, { updateMode: 'APPEND' }, name)
    await this.#load('APPEND', file, { updateMode: 'APPEND' }, name)
    await this.#client.delete(`/rest/layers/default:${name}?recurse=true`)
  }

  async #create(file: string, task: Task, name: string): Promise<string> {
    const created = await this.#client.post('/rest/imports', {
      import: { targetStore: { dataStore: { name: 'bench' } }, data: { type: 'file', file } },
    })
    const path = `/rest/imports/${readImport(created).id}`
    await this.#client.put(`${path}/tasks/0`, { task: { ...task, layer: { name, nativeName: name } } })
    return path
  }

  async #run(path: string): Promise<Took> {
    const took = await this.#time.measure(() => this.#client.post(path))
    const { state, message = '' } = readImport(await this.#client.get(path))
    if (state !== 'COMPLETE') throw new Error(`${path}: ${state} ${message}`)
    return took
  }

  async #load(kind: RunKind, file: string, task: Task, name: string): Promise<void> {
    this.times[kind].push(await this.#run(await this.#create(file, task, name)))
  }

  async #performDryRun(kind: RunKind, file: string, task: Task, name: string): Promise<void> {
    const path = await this.#create(file, task, name)
    this.times[kind].push(await this.#time.measure(() => this.#client.post(`${path}/dry-run`)))
    await this.#client.delete(`${path}/dry-run`)
  }
}

function compare(target: Target, { times, peerTimes }: Rounds, peers: readonly UpsertPeer[]): Compared[] {
  const line = (name: string, kind: RunKind, besideKind: RunKind, targetRatio: number): Compared => ({
    name,
    target,
    ours: times[kind],
    beside: besideKind,
    theirs: times[besideKind],
    targetRatio,
  })
  return [
    line('dry run of a CREATE', 'dry run of CREATE', 'CREATE', targetOfAdded),
    line('dry run of an APPEND', 'dry run of APPEND', 'APPEND', targetOfAdded),
    line('dry run of a REPLACE by keys', 'dry run by keys', 'REPLACE', targetOfCompared),
    line('dry run of a REPLACE by rows', 'dry run by rows', 'REPLACE', targetOfCompared),
    line('dry run of a REPLACE by keys, with limits', 'dry run with rules', 'REPLACE', targetOfCompared),
    line('UPSERT, 1 % changed', 'UPSERT', 'REPLACE', 1),
    line('UPSERT, nothing changed', 'UPSERT of the same', 'REPLACE', 1),
    ...peers.map(({ name: beside }, number) => ({
      name: 'UPSERT, 1 % changed',
      target,
      ours: times['UPSERT'],
      beside,
      targetRatio: 1,
      theirs: peerTimes[number] ?? [],
    })),
  ]
}

async function runTarget(
  server: BenchServer,
  target: Target,
  { folder, databaseUrl, files, runs }: { folder: string; databaseUrl: URL; files: TwoFiles; runs: number },
): Promise<Compared[]> {
  await createStore(server.client, target, databaseUrl)
  const time = new ProcessorTime(server.pid, await findPostmaster(databaseUrl))
  const peers = target === 'GeoPackage' ? [ogrUpsert(folder, files)] : await onConflict(databaseUrl, files)
  try {
    const rounds = new Rounds(server.client, time, files, peers)
    await rounds.warmUp()
    for (let run = 0; run < runs; run += 1) await rounds.round(`layer${run}`)
    return compare(target, rounds, peers)
  } finally {
    for (const peer of peers) await peer.end()
  }
}

/**
 * Measures dry runs compared with the loads that they test, and upserts compared with a full load and with
 * upserts of other programs.
 */
export async function runDryRuns(
  folder: string,
  databaseUrl: URL,
  { rows, runs }: { rows: number; runs: number },
): Promise<DryRunResults> {
  const files = await changedFile(folder, rows)
  const results: DryRunResults = { rows, compared: [], memory: [], load: [Number.POSITIVE_INFINITY, 0] }
  const look = (): void => {
    const [load = 0] = loadavg()
    results.load = [Math.min(results.load[0], load), Math.max(results.load[1], load)]
  }
  for (const target of targets) {
    const server = await startBenchServer(folder)
    try {
      look()
      results.compared.push(...(await runTarget(server, target, { folder, databaseUrl, files, runs })))
      results.memory.push({ target, megabytes: server.peakMegabytes() })
      look()
    } finally {
      await server.stop()
    }
  }
  return results
}

const of = (took: Took[], what: keyof Took, part: number): number =>
  quantile(
    took.map((one) => one[what]),
    part,
  )

function line({ name, target, ours, beside, theirs, targetRatio }: Compared): string {
  const ratio = of(ours, 'milliseconds', 0.5) / of(theirs, 'milliseconds', 0.5)
  const ofProcessor = of(ours, 'processor', 0.5) / of(theirs, 'processor', 0.5)
  const isMissed = ratio > targetRatio
  const cells = [
    name,
    target,
    of(ours, 'milliseconds', 0.5),
    of(ours, 'milliseconds', 0),
    of(ours, 'processor', 0.5),
    beside,
    of(theirs, 'milliseconds', 0.5),
    of(theirs, 'milliseconds', 0),
    of(theirs, 'processor', 0.5),
    `${ratio.toFixed(2)}${isMissed ? ' (missed)' : ''}`,
    ofProcessor.toFixed(2),
    String(targetRatio),
  ]
  return `| ${cells.map((cell) => (typeof cell === 'number' ? Math.round(cell) : cell)).join(' | ')} |`
}

/** The section of `bench/results.md`; empty where nothing was measured. */
export function dryRunsReport({ rows, compared, memory, load }: DryRunResults): string {
  if (compared.length === 0) return ''
  const [least, most] = load.map((one) => one.toFixed(1))
  return `
## Dry runs and upserts

${rows.toLocaleString('en')} polygons of a GeoPackage; of those that come again 1 % have another name. Milliseconds by the clock, median and least, and
of the processors: of the server, of PostgreSQL and of the program beside it. Each is measured when what was begun in the background
has ended. The load of the machine was ${least} to ${most} over a minute. The ratio is that of the medians by the clock, and should be at most what is wanted.

| of ours | store | ms | least | processor ms | beside it | ms | least | processor ms | ratio | of processor | wanted |
|---|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|
${compared.map(line).join('\n')}

Memory of the server meanwhile, at most: ${memory
    .map(
      ({ target, megabytes }) =>
        `${megabytes} MB with ${target}${megabytes > targetMegabytes ? ' (missed)' : ''}`,
    )
    .join(', ')} (wanted: ${targetMegabytes} MB).
`
}
