import type { CrsDeclaration } from '../../geo/crs.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'

const mostKnown = 1000
const known = new Map<string, boolean>()

/**
 * Whether the way between a CRS and those of the tile matrix sets needs a program of GDAL's in either direction. Throws
 * `CrsError` for a CRS that is unknown, and for a way that nothing here knows.
 */
export async function needsProgram(crs: CrsDeclaration | string): Promise<boolean> {
  const key = JSON.stringify(crs)
  const answer = known.get(key)
  if (answer !== undefined) return answer
  const found = await isForProgram(crs)
  if (known.size >= mostKnown) known.clear()
  known.set(key, found)
  return found
}

async function isForProgram(crs: CrsDeclaration | string): Promise<boolean> {
  for (const srs of ['EPSG:3857', 'EPSG:4326']) {
    for (const [from, to] of [
      [crs, srs],
      [srs, crs],
    ] as const) {
      const reprojector = await createReprojector(from, to)
      await reprojector.close()
      if (!reprojector.isIdentity && reprojector.transformPlace === undefined) return true
    }
  }
  return false
}
