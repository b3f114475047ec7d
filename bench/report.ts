import { cpus, totalmem } from 'node:os'
import { runProgram } from '../src/core/process/process.ts'

export interface LoadResult {
  name: string
  rows: number
  /** Median seconds. */
  ours: number
  /** Median seconds of `ogr2ogr`; absent where there is no peer. */
  peer?: number
  targetRatio: number
  /** Median seconds that the database alone needs; see `timeCopyLimit`. */
  limit?: number
  peakMegabytes: number
}

export interface SmallResult {
  name: string
  milliseconds: number
  targetMilliseconds: number
}

/** Milliseconds of a question about a year of metrics. */
export interface QueryResult {
  name: string
  /** Size of the response. */
  megabytes: number
  median: number
  p95: number
  /** Median processor time of the process that sends the queries and reads the results. */
  processor: number
  targetMilliseconds: number
}

/** Results of one run. */
export interface Results {
  loads: LoadResult[]
  small: SmallResult[]
  queries: QueryResult[]
  /** Disk space and memory that a year of metrics takes. */
  sizes: string[]
  /** The section on pages of features. */
  items: string
  runs: number
}

const targetMegabytes = 350
const targetShare = 0.7

/** The results as the text of `bench/results.md`. */
export async function report({ loads, small, queries, sizes, items, runs }: Results): Promise<string> {
  return `# Benchmark results

Written by \`npm run bench\`. Every load runs through a server in its own process, from the first request to COMPLETE:
read, written, indexed, analysed, published. Its peer is \`ogr2ogr\` on the same file and target, in turn with it.
Seconds are ${runs === 1 ? 'of one run' : `the median of ${runs} runs`}. Peak memory is that of the whole server; at most ${targetMegabytes} MB are wanted.
PostgreSQL runs with its default durability. Its own limit is the time in which it reads the same rows from a ready
binary file and builds key, index and statistics; at least ${targetShare} of that speed is wanted.

${await machine()}

${resultHead}
${loads.map(resultLine).join('\n')}

| other | milliseconds | wanted |
|---|---:|---:|
${small.map(smallLine).join('\n')}
${items}
## A year of metrics

One service with 100 labels and 50 resources as roll-up and retention leave it: days of a year, hours of 90 days, minutes
of the last week, and half a day that is not rolled up yet. Questions go to the thread that a server asks, which answers
with finished JSON. Processor time is the median of that process; PostgreSQL's own is not in it.

${sizes.map((text) => `- ${text}`).join('\n')}

${queryHead}
${queries.map(queryLine).join('\n')}

What the profile shows stands in [notes.md](notes.md).
`
}

export const resultHead = `| load | rows | seconds | rows/s | ogr2ogr seconds | times faster | wanted | share of the limit | peak MB |
|---|---:|---:|---:|---:|---:|---:|---:|---:|`

export function resultLine(result: LoadResult): string {
  const { name, rows, ours, peer, targetRatio, limit, peakMegabytes } = result
  const ratio = peer === undefined ? undefined : peer / ours
  const share = limit === undefined ? undefined : limit / ours
  const cells = [
    name,
    rows.toLocaleString('en'),
    ours.toFixed(2),
    Math.round(rows / ours).toLocaleString('en'),
    peer?.toFixed(2) ?? '',
    ratio === undefined ? '' : marked(ratio.toFixed(1), ratio < targetRatio),
    targetRatio === 0 ? '' : String(targetRatio),
    share === undefined ? '' : marked(share.toFixed(2), share < targetShare),
    marked(String(peakMegabytes), peakMegabytes > targetMegabytes),
  ]
  return `| ${cells.join(' | ')} |`
}

export function smallLine({ name, milliseconds, targetMilliseconds }: SmallResult): string {
  const value = marked(
    milliseconds.toFixed(targetMilliseconds < 1 ? 4 : 1),
    milliseconds > targetMilliseconds,
  )
  return `| ${name} | ${value} | ${targetMilliseconds} |`
}

export const queryHead = `| metric_data | answer MB | median ms | p95 ms | processor ms | wanted p95 |
|---|---:|---:|---:|---:|---:|`

export function queryLine({
  name,
  megabytes,
  median,
  p95,
  processor,
  targetMilliseconds,
}: QueryResult): string {
  const cells = [
    name,
    megabytes.toFixed(1),
    median.toFixed(1),
    marked(p95.toFixed(1), p95 > targetMilliseconds),
    processor.toFixed(1),
    String(targetMilliseconds),
  ]
  return `| ${cells.join(' | ')} |`
}

function marked(text: string, isMissed: boolean): string {
  return isMissed ? `${text} (missed)` : text
}

async function machine(): Promise<string> {
  const gdal = (await runProgram('ogr2ogr', ['--version'])).stdout.toString().trim()
  const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'])).stdout.toString().trim()
  const processors = cpus()
  return [
    `- date: ${new Date().toISOString().slice(0, 10)}, commit ${commit}`,
    `- machine: ${processors.length} x ${processors[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- Node ${process.versions.node}, SQLite ${process.versions.sqlite}, ${gdal}`,
  ].join('\n')
}
