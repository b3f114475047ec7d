import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { CrsError } from '../../geo/crs.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'

/** A missing transformation may become available when an operator installs GDAL or a grid. */
const failureMs = 60_000
const known = new PromiseCache<string, boolean>({ limit: 1000, failureMs })

/**
 * True if the transformation between a CRS and those of the tile matrix sets needs a GDAL program in either
 * direction. Throws `CrsError` for an unknown CRS, and for a transformation that is not available.
 */
export function needsProgram(crs: CrsDeclaration | string): Promise<boolean> {
  const key = typeof crs === 'string' ? crs : JSON.stringify(crs)
  return known.get(key, () => isForProgram(crs))
}

async function isForProgram(crs: CrsDeclaration | string): Promise<boolean> {
  for (const srs of ['EPSG:3857', 'EPSG:4326']) {
    const isOwnThere = await isOwnWay(await createReprojector(crs, srs))
    const isOwnBack = await isOwnWay(await createReprojector(srs, crs))
    if (!isOwnThere || !isOwnBack) return true
  }
  return false
}

/** True if no program is needed; a reprojector that needs one is tried before it is closed. */
async function isOwnWay(reprojector: Reprojector): Promise<boolean> {
  const isOwn = reprojector.isIdentity || reprojector.transformPlace !== undefined
  try {
    if (!isOwn) await reprojector.transform(Float64Array.of(0, 0, 0))
    return isOwn
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error)
    throw new CrsError('no-transformation', `GDAL knows no way: ${output}`)
  } finally {
    await reprojector.close()
  }
}
