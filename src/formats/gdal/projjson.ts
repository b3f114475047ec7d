import { Failure } from '../../core/errors/errors.ts'
import { findProgram, ProgramError, runProgram } from '../../core/process/process.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { limitedProgram, safeConfig } from './safe-gdal.ts'

/** Maximum CPU time of GDAL's program for one CRS, in milliseconds. */
const timeoutMs = 10_000

/**
 * Returns a CRS as PROJJSON; undefined if GDAL is not installed or does not know the CRS. Throws `Failure`
 * (`unavailable`, `gdal-too-slow`) if GDAL exceeds its time limit.
 */
export async function findProjJson(
  crs: CrsDeclaration | string,
  signal: AbortSignal,
): Promise<object | undefined> {
  const declared = typeof crs === 'string' ? { srs: crs } : crs
  if (declared.projjson !== undefined) return JSON.parse(declared.projjson) as object
  const text = declared.srs ?? declared.wkt ?? declared.proj4
  if (text === undefined || (await findProgram('gdalsrsinfo')) === undefined) return undefined
  const [program, args] = await limitedProgram('gdalsrsinfo', ['-o', 'PROJJSON', '--single-line', text])
  try {
    const { stdout } = await runProgram(program, args, { env: safeConfig, timeoutMs, signal })
    return JSON.parse(stdout.toString('utf8')) as object
  } catch (error) {
    if (error instanceof ProgramError && error.reason === 'timed-out') {
      const text = `GDAL did not describe the CRS within ${timeoutMs / 1000} s of CPU time: try again`
      throw new Failure('unavailable', 'gdal-too-slow', text, { retryAfterSeconds: 10, cause: error })
    }
    if (error instanceof ProgramError || error instanceof SyntaxError) return undefined
    throw error
  }
}
