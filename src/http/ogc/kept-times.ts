import type { Layers } from '../../catalog/doors/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { orAborted } from '../../lib/or-aborted.ts'
import type { TimeBounds } from '../../stores/store.ts'
import { timeAttribute } from './collection.ts'

/** How long an answer waits for bounds that are not known yet, and how long they may take to be found. */
const waitMs = 1500
const findMs = 60_000
const rememberedLayers = 5000

interface Kept {
  version: number
  bounds: Promise<TimeBounds | undefined>
}

/** First and last times of layers, found once for each version. */
export class KeptTimes {
  readonly #layers: Layers
  readonly #kept = new Map<number, Kept>()

  constructor(layers: Layers) {
    this.#layers = layers
  }

  /** Undefined for a layer without times, and where they are not found soon: then a later answer tells them. */
  async of(layer: LayerRecord): Promise<TimeBounds | undefined> {
    const attribute = timeAttribute(layer)
    if (attribute === undefined) return undefined
    const { version } = await this.#layers.versionOf(layer)
    const known = this.#kept.get(layer.id)
    const kept = known?.version === version ? known : this.#find(layer, version, attribute.name)
    return orAborted(kept.bounds, AbortSignal.timeout(waitMs)).catch(() => undefined)
  }

  #find(layer: LayerRecord, version: number, attribute: string): Kept {
    const bounds = this.#layers
      .openStoreOf(layer)
      .then((store) => store.timeBounds(layer.nativeName, attribute, AbortSignal.timeout(findMs)))
    const kept = { version, bounds }
    this.#kept.delete(layer.id)
    this.#kept.set(layer.id, kept)
    bounds.catch(() => {
      if (this.#kept.get(layer.id) === kept) this.#kept.delete(layer.id)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > rememberedLayers && oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }
}
