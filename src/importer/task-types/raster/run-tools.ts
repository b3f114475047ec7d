import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Catalog } from '../../../catalog/index.ts'
import type { Logger } from '../../../core/log/logger.ts'
import { ProgramError, runProgram } from '../../../core/process/process.ts'
import type { WorkQueue } from '../../../core/workers/work-queue.ts'
import {
  limitedProgram,
  outgrown,
  type RasterSource,
  spaceFor,
  withDiskWatch,
  withRasterSource,
} from '../../../formats/index.ts'
import { type DataFile, rasterDrivers } from '../../../formats/worker.ts'
import {
  type ChainStep,
  type RasterStep,
  rasterSteps,
  rasterTranslate,
  type TransformSpec,
} from '../../../transforms/index.ts'
import type { ProgressBoard } from '../../runtime/runtime.ts'
import type { LoadPool } from '../../worker/worker.ts'
import { refuseWriteErrors, toolFailure } from './tool-failure.ts'

const tailLength = 400
const marks = /\b(100|[1-9]0|0)(\.{1,3})/g
/** GDAL prints three dots between two numbers. */
const percentPerDot = 2.5

/**
 * Parses GDAL's progress (`0...10...20...`) from pieces of output; returns a share from 0 to 1 that never
 * decreases.
 */
export function progressReader(): (piece: Uint8Array) => number {
  let tail = ''
  let share = 0
  return (piece) => {
    tail = (tail + Buffer.from(piece).toString('latin1')).slice(-tailLength)
    const last = [...tail.matchAll(marks)].at(-1)
    const percent = last === undefined ? 0 : Number(last[1]) + (last[2] ?? '').length * percentPerDot
    share = Math.min(1, Math.max(share, / - done\.\s*$/.test(tail) ? 1 : percent / 100))
    return share
  }
}

const maxOutputBytes = 1 << 20
const cacheMegabytes = '256'
const ownDrivers = ['GTiff']

export interface ToolLimits {
  /** Maximum duration of one program, in seconds. */
  toolSeconds: number
  /** Maximum total size of the files in the folder at any time, in bytes. */
  rasterBytes: number
}

export interface ToolRun {
  file: DataFile
  /** API name of the file's format. */
  format: string
  specs: readonly TransformSpec[]
  /** CRS of the source, declared by the file or the client. */
  srs?: string
  /** An empty temporary folder. */
  folder: string
  limits: ToolLimits
  signal: AbortSignal
  /** Called with the completed share, from 0 to 1. */
  onProgress(share: number): void
}

/** Converts to GeoTIFF first if the chain starts with overviews, which are written into it. */
const conversion: TransformSpec = {
  type: rasterTranslate.type,
  options: ['-co', 'TILED=YES', '-co', 'COMPRESS=DEFLATE'],
}

function stepsOf(specs: readonly TransformSpec[]): ChainStep[] {
  const steps = rasterSteps(specs)
  return steps[0]?.transform.writesOutput === false ? [...rasterSteps([conversion]), ...steps] : steps
}

interface Surroundings {
  env: Record<string, string>
  /** Folders that are removed from messages to clients. */
  folders: string[]
  onShare(share: number): void
}

/** Runs one program in a folder of its own, where it writes its output. */
async function runStep(
  { transform, spec }: ChainStep,
  files: RasterStep,
  { limits, signal, folder }: ToolRun,
  { env, folders, onShare }: Surroundings,
): Promise<void> {
  const limit = { folder, maxBytes: limits.rasterBytes }
  const maxFileBytes = await spaceFor(limit)
  const cwd = dirname(files.output)
  const readShare = progressReader()
  try {
    const args = transform.arguments(spec, files)
    const [program, limitedArgs] = await limitedProgram(transform.program, args, { maxFileBytes })
    const clockLimitMs = limits.toolSeconds * 1000
    const { stderr } = await withDiskWatch(limit, signal, (watched) =>
      runProgram(program, limitedArgs, {
        cwd,
        env: { ...env, CPL_TMPDIR: cwd },
        signal: watched,
        clockLimitMs,
        maxOutputBytes,
        onOutput: (piece) => onShare(readShare(piece)),
      }),
    )
    refuseWriteErrors(transform.program, stderr)
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    throw (await outgrown(limit, maxFileBytes)) ?? toolFailure(error, transform, { ...limits, folders })
  }
}

/** Allows the COG driver in addition to the drivers of the source and of GeoTIFF. */
function withCogDriver(env: Record<string, string>): Record<string, string> {
  const skipped = (env.GDAL_SKIP ?? '').split(',').filter((name) => name !== 'COG')
  return { ...env, GDAL_SKIP: skipped.join(','), GDAL_CACHEMAX: cacheMegabytes }
}

async function runSteps(run: ToolRun, source: RasterSource): Promise<string> {
  const steps = stepsOf(run.specs)
  const env = withCogDriver(source.env)
  let made: string | undefined
  for (const [index, step] of steps.entries()) {
    const input = made ?? source.path
    const output = step.transform.writesOutput ? join(run.folder, `step${index}`, 'raster.tif') : input
    const drivers = made === undefined ? source.drivers : ownDrivers
    const srs = made === undefined ? run.srs : undefined
    await mkdir(dirname(output), { recursive: true })
    await runStep(step, { input, output, drivers, srs }, run, {
      env,
      folders: [dirname(input), dirname(output)],
      onShare: (share) => run.onProgress((index + share) / steps.length),
    })
    if (made !== undefined && made !== output) await rm(dirname(made), { recursive: true })
    made = output
  }
  if (made === undefined) throw new Error('A chain without transformations was run')
  return made
}

/**
 * Runs the programs of the chain in order, each on the output of the previous one, and returns the path of
 * the final GeoTIFF below the folder. The source is only read. Throws `Failure` with the output of the
 * failing program.
 */
export async function runTools(run: ToolRun): Promise<string> {
  const driver = rasterDrivers.find(({ name }) => name === run.format)
  if (driver === undefined) throw new Error(`${run.format} is not a raster format`)
  return withRasterSource(run.file, driver, (source) => runSteps(run, source))
}

export interface RasterDeps {
  catalog: Catalog
  pool: LoadPool
  progress: ProgressBoard
  folders: { stores: string; uploads: string }
  log: Logger
  /** Concurrency and resource limits of tool chains. */
  tools: { turns: WorkQueue; limits: ToolLimits }
}
