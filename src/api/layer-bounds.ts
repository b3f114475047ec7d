import type { LayerRecord, LayerSummary } from '../catalog/index.ts'
import { BoundedCache } from '../core/caches/bounded-cache.ts'
import { WorkQueue } from '../core/workers/work-queue.ts'
import { geographicRange } from './geographic-range.ts'

const remembered = 20_000
/** Some ways between systems go through programs. */
const atATime = 4

/** Fields that determine the location of a layer. */
type Placed = Pick<LayerSummary, 'id' | 'version' | 'place'>

/** Bounds of layers in degrees, computed once per version. */
export class LayerBounds {
  readonly #known = new BoundedCache<string, Promise<number[] | undefined>>(remembered)
  readonly #turns = new WorkQueue({ limit: atATime })

  /** West, south, east and north; east may be beyond 180. Undefined where that is not known. */
  of(card: Placed): Promise<number[] | undefined> {
    return this.#known.get(`${card.id} ${card.version}`, () => this.#turns.run(() => boundsOf(card)))
  }

  /** The same for a layer whose full record is available. */
  ofLayer({ id, version, details }: LayerRecord): Promise<number[] | undefined> {
    const { envelope, srs, crs } = details
    return this.of({ id, version, place: { envelope, srs, crs } })
  }
}

async function boundsOf({ place }: Pick<Placed, 'place'>): Promise<number[] | undefined> {
  const range = await geographicRange({ details: place }).catch(() => undefined)
  return range && [range.minX, range.minY, range.maxX, range.maxY]
}
