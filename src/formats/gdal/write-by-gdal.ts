import { join } from 'node:path'
import { findProgram, ProgramError, runProgram } from '../../core/process/process.ts'
import type { WrittenByGdal } from '../format.ts'
import { FormatError } from '../format.ts'
import { gdalComplaints, limitedProgram, listDrivers, safeConfig } from './safe-gdal.ts'

const timeoutMs = 30 * 60_000
const usualMaxBytes = 4 * 1024 ** 3

/** Input for writing a table. */
interface WrittenTable {
  /** Path of a GeoPackage with the rows. */
  from: string
  table: string
  /** An empty folder. */
  folder: string
  /** Base name of the files. */
  name: string
  /** True if the options contain a statement that selects the rows: no table is named. */
  isQuery?: boolean
  /** Maximum size of a file in bytes; default 4 GiB. */
  maxBytes?: number
}

/** Returns the driver that writes a format; undefined if this GDAL has none, or if GDAL is not installed. */
export async function findWritingDriver({ drivers }: WrittenByGdal): Promise<string | undefined> {
  if ((await findProgram('ogr2ogr')) === undefined) return undefined
  const known = await listDrivers('ogrinfo')
  return drivers.find((driver) => known.includes(driver))
}

/**
 * Writes a table as a file of a format, with its sidecars, to a folder. Throws `FormatError` if GDAL fails.
 */
export async function writeByGdal(
  { from, table, folder, name, isQuery = false, maxBytes = usualMaxBytes }: WrittenTable,
  { extension, options = [] }: WrittenByGdal,
  driver: string,
  signal: AbortSignal,
): Promise<string> {
  const path = join(folder, `${name}.${extension}`)
  const known = await listDrivers('ogrinfo')
  const skipped = known.filter((one) => one !== driver && one !== 'GPKG')
  const env = { ...safeConfig, CPL_TMPDIR: folder, GDAL_SKIP: skipped.join(',') }
  const requested = ['-f', driver, path, from, ...(isQuery ? [] : [table]), '-nln', name, ...options]
  const [program, args] = await limitedProgram('ogr2ogr', requested, { maxFileBytes: maxBytes })
  try {
    await runProgram(program, args, { env, signal, cwd: folder, timeoutMs })
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    const [complaint = error.message] = gdalComplaints(error.stderr)
    const output = complaint.replaceAll(`${folder}/`, '').slice(0, 500)
    throw new FormatError(`GDAL cannot write the rows as ${driver}: ${output}`, {
      code: 'gdal-failed',
      cause: error,
    })
  }
  return path
}
