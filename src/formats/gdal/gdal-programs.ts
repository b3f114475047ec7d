import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve } from 'node:path'
import type { ProgramOptions } from '../../lib/process.ts'
import { findProgram, ProgramError, runProgram, streamProgram } from '../../lib/process.ts'
import type { DataFile } from '../format.ts'
import { FormatError } from '../format.ts'
import type { GdalDriver } from './gdal-drivers.ts'

const memoryBytes = 4 * 1024 ** 3
const describeTimeoutMs = 10 * 60_000
const readTimeoutMs = 6 * 60 * 60_000
/** Written by `ogr2ogr` for us. */
const outputDriver = 'PGDUMP'

const safeConfig: Record<string, string> = {
  CPL_VSIL_CURL_ALLOWED_EXTENSIONS: 'none',
  GDAL_HTTP_PROXY: 'http://127.0.0.1:9',
  GDAL_HTTP_TIMEOUT: '1',
  GDAL_VRT_ENABLE_PYTHON: 'NO',
  GDAL_PAM_ENABLED: 'NO',
  OGR_SQLITE_LOAD_EXTENSIONS: 'NO',
  CPL_TMPDIR: tmpdir(),
}

function missing(): FormatError {
  return new FormatError(
    'This format is read through GDAL, which is not installed: install the Debian package gdal-bin',
    {
      code: 'gdal-missing',
    },
  )
}

let driverList: Promise<string[]> | undefined

/** Short names of this GDAL's drivers. Throws `FormatError` where GDAL is not installed. */
async function listDrivers(): Promise<string[]> {
  const program = await findProgram('ogrinfo')
  if (program === undefined) throw missing()
  driverList ??= readDrivers(program)
  return driverList
}

async function readDrivers(program: string): Promise<string[]> {
  const { stdout } = await runProgram(program, ['--formats'], { timeoutMs: 30_000 })
  const lines = stdout.toString('utf8').split('\n')
  return lines.flatMap((line) => /^ {2}(\S.*?) -[a-z, ]+- \(/.exec(line)?.[1] ?? [])
}

/** The environment that leaves GDAL one driver to read with. */
async function driverEnvironment(driver: GdalDriver): Promise<Record<string, string>> {
  const known = await listDrivers()
  const reader = driver.drivers.find((name) => known.includes(name))
  if (reader === undefined) {
    throw new FormatError(`This GDAL has no driver for ${driver.name}`, { code: 'gdal-driver-missing' })
  }
  const skipped = known.filter((name) => name !== reader && name !== outputDriver)
  return { ...safeConfig, ...driver.config, GDAL_SKIP: skipped.join(',') }
}

/** GDAL's programs over one file, within limits on memory and time. */
export interface GdalSource {
  /** Standard output of `ogrinfo` with these options before the file and arguments behind it. */
  info(options: string[], layers: string[]): Promise<string>
  /** One layer as `COPY` statements; `dimensions` (`XY`, `XYZ`, ...) brings every geometry to these. */
  dump(layer: string, dimensions?: string): AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Gives `work` a file as GDAL shall see it: alone with its sidecars in a folder of links, so that nothing is written
 * beside the user's file. The folder is removed afterwards.
 */
export async function* withGdalSource<T>(
  file: DataFile,
  driver: GdalDriver,
  signal: AbortSignal,
  work: (source: GdalSource) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const env = await driverEnvironment(driver)
  const folder = await mkdtemp(join(tmpdir(), 'terrane-gdal-'))
  try {
    yield* work(openSource(await linkFiles(file, folder), { env, signal, cwd: folder }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function linkFiles({ path, sidecars }: DataFile, folder: string): Promise<string> {
  const extension = extname(path)
  const base = basename(path, extension)
  const main = join(folder, `${base}${extension.toLowerCase()}`)
  await symlink(await realpath(resolve(path)), main)
  for (const [name, sidecar] of Object.entries(sidecars)) {
    await symlink(await realpath(resolve(sidecar)), join(folder, `${base}.${name}`))
  }
  return main
}

function openSource(path: string, options: ProgramOptions): GdalSource {
  return {
    info: async (before, layers) => {
      const [program, args] = await limited('ogrinfo', ['-ro', ...before, path, ...layers])
      const run = runProgram(program, args, { ...options, timeoutMs: describeTimeoutMs })
      return (await run.catch(unreadable)).stdout.toString('utf8')
    },
    async *dump(layer, dimensions) {
      const settings = [
        'LAUNDER=NO',
        'CREATE_SCHEMA=OFF',
        'DROP_TABLE=OFF',
        'SPATIAL_INDEX=NONE',
        'PRECISION=NO',
      ]
      if (dimensions !== undefined) settings.push(`DIM=${dimensions}`)
      const [program, args] = await limited('ogr2ogr', [
        ...['-f', outputDriver, '/vsistdout/', path, layer, '-nln', 't', '-nlt', 'CONVERT_TO_LINEAR'],
        ...settings.flatMap((setting) => ['-lco', setting]),
      ])
      const env = { ...options.env, PG_USE_COPY: 'YES' }
      try {
        yield* streamProgram(program, args, { ...options, env, timeoutMs: readTimeoutMs })
      } catch (error) {
        unreadable(error)
      }
    },
  }
}

/** The program under a memory limit where `prlimit` (Debian: util-linux) is there. */
async function limited(name: string, args: string[]): Promise<[string, string[]]> {
  const program = await findProgram(name)
  if (program === undefined) throw missing()
  const limiter = await findProgram('prlimit')
  return limiter === undefined ? [program, args] : [limiter, [`--as=${memoryBytes}`, program, ...args]]
}

function unreadable(error: unknown): never {
  if (!(error instanceof ProgramError)) throw error
  const [first = error.message] = error.stderr.split('\n').filter((line) => /^(ERROR|FAILURE)/.test(line))
  throw new FormatError(`GDAL cannot read the file: ${first.replace(/^(ERROR \d+|FAILURE): ?/, '')}`, {
    code: 'gdal-failed',
    cause: error,
  })
}
