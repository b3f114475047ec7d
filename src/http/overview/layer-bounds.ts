import type { LayerCard } from '../../catalog/cards/layer-card.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'
import { geographicRange } from '../geographic-range.ts'

const remembered = 20_000
/** Some ways between systems go through programs. */
const atATime = 4

/** Where layers lie in degrees, worked out once for each version. */
export class LayerBounds {
  readonly #known = new BoundedCache<string, Promise<number[] | undefined>>(remembered)
  readonly #turns = new WorkQueue({ limit: atATime })

  /** West, south, east and north; east may be beyond 180. Undefined where that is not known. */
  of(card: Pick<LayerCard, 'id' | 'version' | 'place'>): Promise<number[] | undefined> {
    return this.#known.get(`${card.id} ${card.version}`, () => this.#turns.run(() => boundsOf(card)))
  }
}

async function boundsOf({ place }: Pick<LayerCard, 'place'>): Promise<number[] | undefined> {
  const range = await geographicRange({ details: place }).catch(() => undefined)
  return range && [range.minX, range.minY, range.maxX, range.maxY]
}
