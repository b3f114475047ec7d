import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../src/core/process/process.ts'
import { measureRatios } from './guard-cases.ts'

/** With a higher load average, other programs take so much processor time that the ratios say nothing. */
const maxLoad = 1
/** A measured ratio below this share of the recorded one fails. */
const minShare = 0.5
const recordFile = join(import.meta.dirname, 'guard.json')

/** Ratios of an earlier run: time of the peer divided by time of Terrane. */
export interface GuardRecord {
  date: string
  commit: string
  machine: string
  /** Load average before the run. */
  loadAverage: number
  ratios: Record<string, number>
}

interface GuardOptions {
  /** True to write the ratios of this run to `bench/guard.json` instead of comparing them. */
  isRecording: boolean
  /** Highest load average at which it runs; default 1. */
  allowedLoad?: number | undefined
}

/** Returns a message for each case whose ratio is below half of the recorded one. */
export function findLosses(recorded: Record<string, number>, measured: Record<string, number>): string[] {
  return Object.entries(measured).flatMap(([name, ratio]) => {
    const before = recorded[name]
    if (before === undefined || ratio >= before * minShare) return []
    return [`${name}: ${ratio.toPrecision(3)} is below half of the recorded ${before.toPrecision(3)}`]
  })
}

/**
 * Measures small cases beside their peers and prints a table. Returns false if a ratio is below half of the
 * recorded one. Measures nothing on a busy machine.
 */
export async function runGuard(
  folder: string,
  { isRecording, allowedLoad = maxLoad }: GuardOptions,
): Promise<boolean> {
  const load = loadavg()[0] ?? 0
  if (load > allowedLoad) {
    console.log(
      `The guard did not run: the load average is ${load.toFixed(2)}, at most ${allowedLoad} is allowed.`,
    )
    return true
  }
  mkdirSync(folder, { recursive: true })
  const record = JSON.parse(readFileSync(recordFile, 'utf8')) as GuardRecord
  console.log(
    `Recorded on ${record.date}, commit ${record.commit}, ${record.machine}, load average ${record.loadAverage}.\n`,
  )
  console.log('| case | Terrane ms | peer ms | ratio | recorded |\n|---|---:|---:|---:|---:|')
  const measured: Record<string, number> = {}
  for await (const { name, ours, peer } of measureRatios(folder)) {
    measured[name] = peer / ours
    const cells = [name, ours.toFixed(1), peer.toFixed(1), (peer / ours).toPrecision(3)]
    console.log(`| ${cells.join(' | ')} | ${record.ratios[name]?.toPrecision(3) ?? ''} |`)
  }
  if (isRecording) {
    await writeRecord(measured, load)
    return true
  }
  const losses = findLosses(record.ratios, measured)
  for (const loss of losses) console.error(loss)
  return losses.length === 0
}

async function writeRecord(measured: Record<string, number>, load: number): Promise<void> {
  const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'])).stdout.toString().trim()
  const processors = cpus()
  const ratios = Object.entries(measured).map(([name, ratio]) => [name, Number(ratio.toPrecision(3))])
  const record: GuardRecord = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${processors.length} x ${processors[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    loadAverage: Number(load.toFixed(2)),
    ratios: Object.fromEntries(ratios),
  }
  writeFileSync(recordFile, `${JSON.stringify(record, undefined, 2)}\n`)
}
