import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { filterKey } from '../../filters/filter.ts'
import type { FeaturePageRequest, VectorStore } from '../../stores/index.ts'
import { getStoreDescription } from '../../stores/registry.ts'

const maxKept = 2000

/** Cached numbers of matches, each for one version of its layer. */
export class CachedCounts {
  readonly #layers: Pick<Layers, 'versionOf'>
  readonly #counts = new Map<string, number>()

  constructor(layers: Pick<Layers, 'versionOf'>) {
    this.#layers = layers
  }

  /**
   * Returns the cache key of a number of matches; undefined if it is not worth caching or may become invalid.
   */
  async keyOf(
    { type }: Pick<VectorStore, 'type'>,
    layer: LayerRecord,
    { query, box, filter }: FeaturePageRequest,
  ): Promise<string | undefined> {
    // The others count in no time: by an index of the file, or by what its readers keep.
    if (getStoreDescription(type).can.countsFast || layer.details.kind !== 'vector') return undefined
    const { version, isCurrent } = await this.#layers.versionOf(layer)
    return isCurrent
      ? JSON.stringify([
          layer.id,
          version,
          query.table,
          query.time,
          query.featureIds,
          box,
          filter?.srs,
          filterKey(filter?.requested),
        ])
      : undefined
  }

  find(key: string | undefined): number | undefined {
    return key === undefined ? undefined : this.#counts.get(key)
  }

  keep(key: string | undefined, count: number): void {
    if (key === undefined || this.#counts.has(key)) return
    const [oldest] = this.#counts.keys()
    if (this.#counts.size >= maxKept && oldest !== undefined) this.#counts.delete(oldest)
    this.#counts.set(key, count)
  }
}
