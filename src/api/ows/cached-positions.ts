import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { filterKey } from '../../filters/filter.ts'
import type { FeaturePageRequest, RowPosition } from '../../stores/index.ts'

const maxKept = 20_000
/** Characters of values that are sorted by. */
const longestKept = 1000

/**
 * Positions of rows in the result of a query, each for one version of its layer: clients page by STARTINDEX,
 * and the next page begins where the last one ended without reading the rows before it.
 */
export class CachedPositions {
  readonly #layers: Pick<Layers, 'versionOf'>
  readonly #rows = new Map<string, RowPosition>()

  constructor(layers: Pick<Layers, 'versionOf'>) {
    this.#layers = layers
  }

  /** Returns the cache key of positions in the result of a query; undefined if they may become invalid. */
  async keyOf(
    layer: LayerRecord,
    { query, box, filter }: Pick<FeaturePageRequest, 'query' | 'box' | 'filter'>,
  ): Promise<string | undefined> {
    if (query.featureIds !== undefined) return undefined
    const { version, isCurrent } = await this.#layers.versionOf(layer)
    if (!isCurrent) return undefined
    return JSON.stringify([
      layer.id,
      version,
      query.table,
      query.sort,
      box,
      filter?.srs,
      filterKey(filter?.requested),
    ])
  }

  find(key: string | undefined, index: number): RowPosition | undefined {
    return key === undefined ? undefined : this.#rows.get(`${index} ${key}`)
  }

  keep(key: string | undefined, index: number, row: RowPosition | undefined): void {
    if (key === undefined || row === undefined) return
    const { values } = row
    if (key.length > 10_000 || values.reduce((sum, one) => sum + (one?.length ?? 0), 0) > longestKept) return
    const [oldest] = this.#rows.keys()
    if (this.#rows.size >= maxKept && oldest !== undefined) this.#rows.delete(oldest)
    this.#rows.set(`${index} ${key}`, row)
  }
}
