import type { Layers } from '../../catalog/doors/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { filterKey } from '../../filters/filter.ts'
import type { RowPosition } from '../../stores/order.ts'
import type { PageWish } from '../../stores/reading/page-wish.ts'

const mostKept = 20_000
/** Characters of values that are sorted by. */
const longestKept = 1000

/**
 * After how many features of a question which row stands, each for one version of its layer: clients count by STARTINDEX, and
 * the next page begins where the last one ended without passing over what stands before.
 */
export class KeptPositions {
  readonly #layers: Pick<Layers, 'versionOf'>
  readonly #rows = new Map<string, RowPosition>()

  constructor(layers: Pick<Layers, 'versionOf'>) {
    this.#layers = layers
  }

  /** What positions in the answers to a question depend on; undefined where they cannot be known to hold. */
  async keyOf(
    layer: LayerRecord,
    { query, box, filter }: Pick<PageWish, 'query' | 'box' | 'filter'>,
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
      filterKey(filter?.asked),
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
    if (this.#rows.size >= mostKept && oldest !== undefined) this.#rows.delete(oldest)
    this.#rows.set(`${index} ${key}`, row)
  }
}
