import { setTimeout as sleep } from 'node:timers/promises'
import type { LayerRecord } from '../records.ts'
import type { LayerVersion } from './layer-versions.ts'
import type { Layers } from './layers.ts'

/** A committed load is published within milliseconds, or within this time under high load. */
const pauseMs = 20
const longestPublishingMs = 5000

/**
 * Returns a layer whose data changed while they were read, once no load of Terrane is about to be published,
 * if that happens soon; undefined if it was deleted.
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
