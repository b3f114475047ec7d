import { readFile } from 'node:fs/promises'
import { Overview } from '../../tiles/generalize/overview.ts'

/** Maximum size of the overviews that one thread caches, in bytes. */
const maxBytes = 64 << 20

const kept = new Map<string, Overview>()
let keptBytes = 0

/** Returns an overview, from the cache if possible; undefined if it no longer exists. */
export async function findOverview(path: string): Promise<Overview | undefined> {
  const known = kept.get(path)
  if (known !== undefined) {
    kept.delete(path)
    kept.set(path, known)
    return known
  }
  const bytes = await readFile(path).catch(() => undefined)
  const overview = bytes === undefined ? undefined : Overview.read(bytes)
  if (overview !== undefined) keep(path, overview)
  return overview
}

function keep(path: string, overview: Overview): void {
  keptBytes += overview.sizeBytes - (kept.get(path)?.sizeBytes ?? 0)
  kept.set(path, overview)
  for (const [oldest, { sizeBytes }] of kept) {
    if (keptBytes <= maxBytes) return
    kept.delete(oldest)
    keptBytes -= sizeBytes
  }
}
