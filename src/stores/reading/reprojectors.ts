import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'

const maxKept = 50
/** Only reprojectors without an external program: they have nothing to close. */
const kept = new Map<string, Reprojector>()

/** Like `createReprojector`, with a cache for repeated pairs. The caller must always close the result. */
export async function findReprojector(
  from: CrsDeclaration | string,
  to: CrsDeclaration | string,
): Promise<Reprojector> {
  const key = JSON.stringify([from, to])
  const known = kept.get(key)
  if (known !== undefined) return known
  const reprojector = await createReprojector(from, to)
  if (!reprojector.isIdentity && reprojector.transformPlace === undefined) return reprojector
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, reprojector)
  return reprojector
}
