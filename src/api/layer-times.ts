import type { LayerRecord, LayerSummary, Layers } from '../catalog/index.ts'
import { workOwner } from '../core/concurrency/acting.ts'
import { orAborted } from '../core/concurrency/or-aborted.ts'
import { waitLimit } from '../core/time/wait-limit.ts'
import { WorkQueue } from '../core/workers/work-queue.ts'
import { timeAttribute } from '../geo/schema.ts'
import { lightRows, type TimeBounds } from '../stores/index.ts'

/** Time that a response waits for bounds that are not known yet, and time limit for computing them. */
const waitMs = 1500
const findMs = 60_000
const rememberedLayers = 20_000
/** A document about all layers may ask for thousands. */
const atATime = 4
/** Number of large layers among them: the rest is reserved for small ones. */
const heavyAtATime = 2

/** Fields that determine where the times of a layer are read. */
type Timed = Pick<LayerSummary, 'id' | 'version' | 'storeId' | 'nativeName' | 'timeAttribute' | 'rows'>

interface CachedTimeBounds {
  version: number
  bounds: Promise<TimeBounds | undefined>
}

/** First and last times of layers of features, found once for each version. */
export class LayerTimeBounds {
  readonly #layers: Layers
  readonly #kept = new Map<number, CachedTimeBounds>()
  readonly #turns = new WorkQueue({ limit: atATime, heavyLimit: heavyAtATime })

  constructor(layers: Layers) {
    this.#layers = layers
  }

  /**
   * Undefined for a layer without times, and if they are not found soon: then a later response contains them.
   */
  async of(layer: LayerRecord): Promise<TimeBounds | undefined> {
    const { id, storeId, nativeName, details } = layer
    const attribute = timeAttribute(details.schema)
    if (attribute === undefined) return undefined
    const { version } = await this.#layers.versionOf(layer)
    const timed = {
      id,
      version,
      storeId,
      nativeName,
      rows: details.featureCount,
      timeAttribute: attribute.name,
    }
    return this.ofCard(timed, waitLimit(waitMs))
  }

  /** The same for the version in a card, unless `signal` aborts earlier. */
  async ofCard(card: Timed, signal: AbortSignal): Promise<TimeBounds | undefined> {
    const { timeAttribute: attribute } = card
    if (attribute === undefined) return undefined
    const known = this.#kept.get(card.id)
    const kept = known?.version === card.version ? known : this.#find(card, attribute)
    return orAborted(kept.bounds, signal).catch(() => undefined)
  }

  #find({ id, version, storeId, nativeName, rows }: Timed, attribute: string): CachedTimeBounds {
    const find = async (): Promise<TimeBounds | undefined> => {
      const store = await this.#layers.openStoreOf({ storeId })
      return store.timeBounds(nativeName, attribute, AbortSignal.timeout(findMs))
    }
    const isHeavy = (rows ?? Number.POSITIVE_INFINITY) > lightRows
    const bounds = this.#turns.run(find, { owner: workOwner(), resource: String(id), isHeavy })
    const kept = { version, bounds }
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    bounds.catch(() => {
      if (this.#kept.get(id) === kept) this.#kept.delete(id)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > rememberedLayers && oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }
}
