import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { explain, invalid } from '../../core/errors/errors.ts'
import { detectFormat } from '../../formats/registry.ts'
import { FormatError, type LayerDescription } from '../../formats/worker.ts'
import { withSidecars } from '../files/with-sidecars.ts'
import type { CoverageStoreType } from './coverage-types.ts'
import { isCoverageStoreType } from './coverage-types.ts'

/**
 * Returns the format and description of a raster file. Throws `Failure` (`invalid`) if the file is not a
 * raster.
 */
export async function readRaster(
  path: string,
  signal: AbortSignal,
): Promise<{ type: CoverageStoreType; description: LayerDescription }> {
  const name = basename(path)
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? false
  if (!isFile) throw invalid('no-such-file', `There is no file "${name}"`)
  const file = await withSidecars(path)
  const format = await detectFormat(file, signal)
  if (format === undefined || !isCoverageStoreType(format.name)) {
    throw invalid('no-raster', `"${name}" is not a raster of a known format`)
  }
  try {
    const [description] = await format.describe(file, { signal })
    if (description !== undefined) return { type: format.name, description }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw invalid('no-raster', `"${name}" cannot be read: ${explain(error)}`, { cause: error })
  }
  throw invalid('no-raster', `"${name}" holds no raster`)
}
