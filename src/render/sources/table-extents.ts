import type { Envelope } from '../../geo/envelope.ts'
import type { ServedStore, TileSource } from '../../stores/index.ts'
import type { TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { worldOf } from '../../tiles/world.ts'
import type { VersionState } from './layer-work.ts'

const maxKnown = 10_000
/** Greater than any coordinate. */
const far = 1e15

interface OpenTable {
  store: Pick<ServedStore, 'readEnvelopes'>
  source: Pick<TileSource, 'table' | 'crs'>
}

/** Extents of layers' tables, read once per version. */
export class TableExtents {
  readonly #known = new Map<number, { version: number; extent: Envelope | undefined }>()

  /** Returns the result of `of` for this version. */
  known(layerId: number, { version, isCurrent }: VersionState): { extent: Envelope | undefined } | undefined {
    const known = this.#known.get(layerId)
    return isCurrent && known?.version === version ? known : undefined
  }

  /**
   * Returns one full turn of the world if no row extends beyond it: then a tile has one position in the
   * table, and no search one turn away is needed. Undefined if x is not cyclic, if rows extend beyond, or if
   * the version may not be that of the data.
   */
  async of(
    layerId: number,
    { store, source: { table, crs } }: OpenTable,
    { set, now }: { set: TileMatrixSetId; now: VersionState },
    signal: AbortSignal,
  ): Promise<Envelope | undefined> {
    if (!now.isCurrent) return undefined
    const known = this.known(layerId, now)
    if (known !== undefined) return known.extent
    const { turn } = worldOf(crs, getTileMatrixSet(set))
    if (turn === undefined) return undefined
    const half = turn / 2
    const beyond = [
      { minX: -far, minY: -far, maxX: -half, maxY: far },
      { minX: half, minY: -far, maxX: far, maxY: far },
    ]
    const isBeyond = await hasRows(store.readEnvelopes({ table, boxes: beyond }, signal))
    const extent = isBeyond ? undefined : { minX: -half, minY: -far, maxX: half, maxY: far }
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.set(layerId, { version: now.version, extent })
    return extent
  }
}

async function hasRows(pages: AsyncIterable<{ ids: readonly string[] }>): Promise<boolean> {
  for await (const { ids } of pages) if (ids.length > 0) return true
  return false
}
