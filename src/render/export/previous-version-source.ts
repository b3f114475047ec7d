import type { Layers } from '../../catalog/index.ts'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { EarlierLayer, PreviousVersions } from '../versions/previous-versions.ts'
import { requireVectorTiles } from '../versions/previous-versions.ts'
import type { WriteArchiveDeps } from './write-archive.ts'

interface PreviousVersionSourceDeps {
  layers: Pick<Layers, 'findById'>
  earlier: Pick<PreviousVersions, 'whenReady' | 'tile'>
}

/** Returns the source of tiles of an earlier version, whose contents never change. */
export function previousVersionSource(
  { layers, earlier }: PreviousVersionSourceDeps,
  version: number,
): Pick<WriteArchiveDeps, 'maps' | 'layers'> {
  const then = new PromiseCache<number, EarlierLayer>()
  const whole = async (id: number): Promise<EarlierLayer> => {
    const layer = await layers.findById(id)
    if (layer === undefined) throw notFound('unknown-layer', 'The layer does not exist any more')
    const found = await earlier.whenReady(layer, version, new AbortController().signal)
    requireVectorTiles(found.layer)
    return found
  }
  const of = (id: number): Promise<EarlierLayer> => then.get(id, () => whole(id))
  return {
    layers: {
      findById: async (id) => (await of(id)).layer,
      versionOf: async () => ({ version, isCurrent: true }),
      isStill: async () => true,
    },
    maps: {
      tile: async ({ id }, { tile }, signal) => ({
        ...(await earlier.tile(await of(id), { tile }, signal)),
        version,
        isCurrent: true,
      }),
    },
  }
}
