import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import type { ProgramOptions } from '../../core/process/process.ts'
import { runProgram, streamProgram } from '../../core/process/process.ts'
import type { DataFile } from '../format.ts'
import { FormatError } from '../format.ts'
import type { GdalDriver } from './gdal-drivers.ts'
import {
  gdalComplaints,
  limitedProgram,
  linkInto,
  listDrivers,
  safeConfig,
  throwUnreadable,
} from './safe-gdal.ts'

const describeTimeoutMs = 10 * 60_000
const readTimeoutMs = 6 * 60 * 60_000
/** Written by `ogr2ogr`. */
const outputDriver = 'PGDUMP'

/** Returns an environment that restricts GDAL to one driver. */
async function driverEnvironment(driver: GdalDriver): Promise<Record<string, string>> {
  const known = await listDrivers('ogrinfo')
  const reader = driver.drivers.find((name) => known.includes(name))
  if (reader === undefined) {
    throw new FormatError(`This GDAL has no driver for ${driver.name}`, { code: 'gdal-driver-missing' })
  }
  const skipped = known.filter((name) => name !== reader && name !== outputDriver)
  return { ...safeConfig, ...driver.config, GDAL_SKIP: skipped.join(',') }
}

interface DumpOptions {
  /** `XY`, `XYZ`, ...: dimensions that every geometry is converted to. */
  dimensions?: string | undefined
  /** True if the values that GDAL changes are determined separately. */
  isLossKnown?: boolean
}

/** GDAL's programs for one file, with limits on memory and time. */
export interface GdalSource {
  /**
   * Returns the standard output of `ogrinfo` with these options before the file and arguments after it;
   * `limitMs` of CPU time.
   */
  info(options: string[], layers: string[], limitMs?: number): Promise<string>
  /** Yields one layer as `COPY` statements. */
  dump(layer: string, options?: DumpOptions): AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Calls `work` with a file as GDAL should see it: alone with its sidecars in a folder of links, so that
 * nothing is written next to the user's file. The folder is removed afterwards.
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
    const path = await linkFiles(file, driver, folder, signal)
    const options = { env: { ...env, CPL_TMPDIR: folder }, signal, cwd: folder }
    yield* work(openSource(path, driver, options))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Calls `work` with the GDAL name of a database. Secrets are in `env`, since other users can see arguments;
 * `files` are written, by name, to the home folder of the programs.
 */
export async function* withGdalDatabase<T>(
  database: { name: string; env: Record<string, string>; files: Record<string, string> },
  driver: GdalDriver,
  signal: AbortSignal,
  work: (source: GdalSource) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const env = await driverEnvironment(driver)
  const folder = await mkdtemp(join(tmpdir(), 'terrane-gdal-'))
  try {
    for (const [name, text] of Object.entries(database.files)) {
      await writeFile(join(folder, name), text, { mode: 0o600 })
    }
    const options = {
      env: { ...env, ...database.env, HOME: folder, CPL_TMPDIR: folder },
      signal,
      cwd: folder,
    }
    yield* work(openSource(database.name, driver, options))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function linkFiles(
  { path, sidecars }: DataFile,
  driver: GdalDriver,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const extension = extname(path)
  const base = basename(path, extension)
  const main = `${base}${extension.toLowerCase()}`
  const others = Object.entries(sidecars).map(([name, sidecar]) => [`${base}.${name}`, sidecar])
  const isCopied = await driver.copy?.(path, folder, main, signal)
  await linkInto(folder, { ...Object.fromEntries(others), ...(isCopied === true ? {} : { [main]: path }) })
  return join(folder, main)
}

function openSource(
  path: string,
  { isSqlite }: GdalDriver,
  options: ProgramOptions & { cwd: string },
): GdalSource {
  return {
    info: async (before, layers, limitMs = describeTimeoutMs) => {
      const [program, args] = await limitedProgram('ogrinfo', ['-ro', ...before, path, ...layers])
      const run = runProgram(program, args, { ...options, timeoutMs: limitMs })
      return (await run.catch((error: unknown) => throwUnreadable(error, options.cwd))).stdout.toString(
        'utf8',
      )
    },
    async *dump(layer, { dimensions, isLossKnown = false } = {}) {
      const settings = [
        'LAUNDER=NO',
        'CREATE_SCHEMA=OFF',
        'DROP_TABLE=OFF',
        'SPATIAL_INDEX=NONE',
        'PRECISION=NO',
      ]
      if (dimensions !== undefined) settings.push(`DIM=${dimensions}`)
      // Otherwise GDAL stops at the first geometry that differs from the declaration of its column.
      const type = isSqlite === true && dimensions !== undefined ? ['-nlt', 'GEOMETRY'] : []
      const [program, args] = await limitedProgram('ogr2ogr', [
        '-f',
        outputDriver,
        '/vsistdout/',
        path,
        layer,
        '-nln',
        't',
        '-nlt',
        'CONVERT_TO_LINEAR',
        '-forceNullable',
        '-unsetFieldWidth',
        ...type,
        ...settings.flatMap((setting) => ['-lco', setting]),
      ])
      const env = { ...options.env, PG_USE_COPY: 'YES' }
      try {
        yield* streamProgram(program, args, {
          ...options,
          env,
          timeoutMs: readTimeoutMs,
          onWarnings: (stderr) => {
            refuseErrors(stderr, options.cwd)
            refuseOverflow(stderr)
            if (!isLossKnown) refuseChanges(stderr)
          },
        })
      } catch (error) {
        throwUnreadable(error, options.cwd)
      }
    },
  }
}

/** GDAL exits successfully after errors that made it omit rows, such as damaged pages of a database. */
function refuseErrors(stderr: string, folder: string): void {
  const complaint = gdalComplaints(stderr).find((text) => !text.startsWith('PROJ: '))
  if (complaint === undefined) return
  throw new FormatError(
    `GDAL met an error while it read: ${complaint.replaceAll(`${folder}/`, '').slice(0, 500)}`,
    { code: 'gdal-failed' },
  )
}

const changedForm =
  /^Warning \d+: (Value '.*' of field .* parsed incompletely to .*|Only 0 or 1 should be passed .*)$/m

/** GDAL truncates numbers to the assumed width of the column and only prints a warning. */
function refuseOverflow(stderr: string): void {
  if (!/Integer overflow/i.test(stderr)) return
  throw new FormatError(
    'GDAL takes a column for 32-bit integers that holds larger numbers: declare it as BIGINT, or convert the file',
    { code: 'gdal-failed' },
  )
}

/** GDAL changes values that do not match the type of their column and only prints a warning. */
function refuseChanges(stderr: string): void {
  const changed = changedForm.exec(stderr)?.[1]
  if (changed === undefined) return
  throw new FormatError(`GDAL would change a value: ${changed.slice(0, 300)}`, { code: 'gdal-failed' })
}
