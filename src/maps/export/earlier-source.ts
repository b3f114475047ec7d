import { setTimeout as sleep } from 'node:timers/promises'
import type { Layers } from '../../catalog/doors/layers.ts'
import { Failure, notFound } from '../../lib/errors.ts'
import type { EarlierLayer, EarlierVersions } from '../earlier/earlier-versions.ts'
import { requireVectorTiles } from '../earlier/earlier-versions.ts'
import type { WriteNeeds } from './write-archive.ts'

interface EarlierNeeds {
  layers: Pick<Layers, 'findById'>
  earlier: Pick<EarlierVersions, 'at' | 'tile'>
}

/** How long it is waited for the copy in which a version is looked at. */
const longestMs = 30 * 60_000
const pauseMs = 1000

/** Where the tiles of an earlier version come from: what it holds never changes. */
export function earlierSource(
  { layers, earlier }: EarlierNeeds,
  version: number,
): Pick<WriteNeeds, 'maps' | 'layers'> {
  const then = new Map<number, Promise<EarlierLayer>>()
  const whole = async (id: number): Promise<EarlierLayer> => {
    const layer = await layers.findById(id)
    if (layer === undefined) throw notFound('unknown-layer', 'The layer does not exist any more')
    const found = await patiently((signal) => earlier.at(layer, version, signal))
    requireVectorTiles(found.layer)
    return found
  }
  const of = (id: number): Promise<EarlierLayer> => {
    const known = then.get(id) ?? whole(id)
    then.set(id, known)
    return known
  }
  return {
    layers: {
      findById: async (id) => (await of(id)).layer,
      versionOf: async () => ({ version, isCurrent: true }),
      isStill: async () => true,
    },
    maps: {
      tile: async ({ id }, { tile }, signal) => ({
        ...(await earlier.tile(await of(id), { tile }, signal)),
        ...{ version, isCurrent: true },
      }),
    },
  }
}

/** Asks again as long as the copy is being made. */
async function patiently<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(longestMs)
  for (;;) {
    try {
      return await ask(signal)
    } catch (error) {
      const isBeingMade = error instanceof Failure && error.code === 'version-not-ready'
      if (!isBeingMade || signal.aborted) throw error
      await sleep(pauseMs, undefined, { signal })
    }
  }
}
