import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { workOwner } from '../../core/concurrency/acting.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { waitLimit } from '../../core/time/wait-limit.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { type ColumnValues, lightRows } from '../../stores/index.ts'

/** Time that a response waits for values that are not known yet, and time limit for reading them. */
const waitMs = 1500
const lookMs = 60_000
/**
 * Number of layers read at the same time, and of large ones among them: the rest is reserved for small ones.
 */
const atATime = 4
const heavyAtATime = 2
const maxKept = 2000
/** A harvester may ask for thousands of layers. */
const maxWaiting = 50

/** Reading has its own time limit. */
const never = new AbortController().signal

interface CachedColumnValues {
  version: number
  values: Promise<ColumnValues[]>
}

/** Cached values of layers' columns, read once per version. */
export class CachedValues {
  readonly #layers: Layers
  readonly #kept = new Map<number, CachedColumnValues>()
  readonly #turns = new WorkQueue({ limit: atATime, heavyLimit: heavyAtATime })
  #waiting = 0

  constructor(layers: Layers) {
    this.#layers = layers
  }

  /**
   * None if reading all of them took too long; undefined if they are not available yet, or other programs
   * change the layer: a later response contains them.
   */
  async of(layer: LayerRecord): Promise<ColumnValues[] | undefined> {
    const { version, isCurrent } = await this.#layers.versionOf(layer)
    if (!isCurrent) return undefined
    const known = this.#kept.get(layer.id)
    const kept = known?.version === version ? known : this.#find(layer, version)
    return kept && orAborted(kept.values, waitLimit(waitMs)).catch(() => undefined)
  }

  #find(layer: LayerRecord, version: number): CachedColumnValues | undefined {
    if (this.#waiting >= maxWaiting) return undefined
    this.#waiting += 1
    const values = this.#turns
      .run(() => this.#look(layer), {
        owner: workOwner(),
        resource: String(layer.id),
        isHeavy: (layer.details.featureCount ?? Number.POSITIVE_INFINITY) > lightRows,
      })
      .finally(() => {
        this.#waiting -= 1
      })
    const kept = { version, values }
    this.#kept.delete(layer.id)
    this.#kept.set(layer.id, kept)
    values.catch(() => {
      if (this.#kept.get(layer.id) === kept) this.#kept.delete(layer.id)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }

  async #look({ storeId, nativeName, details }: LayerRecord): Promise<ColumnValues[]> {
    const attributes = details.schema.attributes.filter(({ type }) => type !== 'binary' && type !== 'boolean')
    if (attributes.length === 0) return []
    const store = await this.#layers.openStoreOf({ storeId })
    const names = attributes.map(({ name }) => name)
    return store.columnValues({ table: nativeName, attributes: names, limitMs: lookMs }, never)
  }
}
