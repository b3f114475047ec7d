import { cpus, totalmem } from 'node:os'
import { runProgram } from '../src/lib/process.ts'

export interface LoadResult {
  name: string
  rows: number
  /** Median seconds. */
  ours: number
  /** Median seconds of `ogr2ogr`; absent where there is no peer. */
  peer?: number
  wantedRatio: number
  peakMegabytes: number
}

const wantedMegabytes = 350

/** The results as the text of `bench/results.md`. */
export async function report(results: LoadResult[], runs: number): Promise<string> {
  const lines = results.map(resultLine)
  return `# Benchmark results

Written by \`npm run bench\`. Every load runs through a server in its own process, from the first request to COMPLETE:
read, written, indexed, analysed, published. Its peer is \`ogr2ogr\` on the same file and target, in turn with it.
Seconds are the median of ${runs} runs. Peak memory is that of the whole server; at most ${wantedMegabytes} MB are wanted.
PostgreSQL runs with its default durability.

${await machine()}

| load | rows | seconds | rows/s | ogr2ogr seconds | times faster | wanted | peak MB |
|---|---:|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}
`
}

export function resultLine({ name, rows, ours, peer, wantedRatio, peakMegabytes }: LoadResult): string {
  const ratio = peer === undefined ? undefined : peer / ours
  const isMissed = ratio !== undefined && ratio < wantedRatio
  const cells = [
    name,
    rows.toLocaleString('en'),
    ours.toFixed(2),
    Math.round(rows / ours).toLocaleString('en'),
    peer?.toFixed(2) ?? '',
    ratio === undefined ? '' : `${ratio.toFixed(1)}${isMissed ? ' (missed)' : ''}`,
    wantedRatio === 0 ? '' : String(wantedRatio),
    `${peakMegabytes}${peakMegabytes > wantedMegabytes ? ' (missed)' : ''}`,
  ]
  return `| ${cells.join(' | ')} |`
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
