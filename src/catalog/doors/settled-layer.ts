import { setTimeout as sleep } from 'node:timers/promises'
import type { LayerRecord } from '../records.ts'
import type { LayerVersion } from './layer-versions.ts'
import type { Layers } from './layers.ts'

/** A load that has committed is published in some milliseconds, or in so long where much else is done. */
const pauseMs = 20
const longestPublishingMs = 5000

/**
 * A layer whose data have changed under their reader, as it is once no load of ours is about to be published, as far as
 * that comes soon; undefined where it is gone.
 */
export async function settledLayer(
  layers: Pick<Layers, 'findById' | 'isSettled' | 'versionOf'>,
  id: number,
  signal: AbortSignal,
): Promise<{ layer: LayerRecord; now: LayerVersion } | undefined> {
  const deadline = performance.now() + longestPublishingMs
  for (;;) {
    await sleep(pauseMs, undefined, { signal })
    const layer = await layers.findById(id)
    if (layer === undefined) return undefined
    if ((await layers.isSettled(layer)) || performance.now() > deadline)
      return { layer, now: await layers.versionOf(layer) }
  }
}
