import { setImmediate } from 'node:timers/promises'
import { hasRole } from '../../../accounts/caller.ts'
import type { LayerCard } from '../../../catalog/cards/layer-card.ts'
import type { OwsParts } from '../ows-parts.ts'
import type { WcsRequest } from './wcs-parts.ts'

/** Coverages that are written without a pause for others. */
const atATime = 200

/** A piece of capabilities for each coverage that the caller may read, whose CRS has a code; bounds in degrees. */
export async function listCoverages(
  parts: Pick<OwsParts, 'catalog' | 'bounds'>,
  { request, workspace }: Pick<WcsRequest, 'request' | 'workspace'>,
  write: (card: LayerCard, srs: string, bounds: number[]) => string,
): Promise<string> {
  const known = await parts.catalog.cards.now()
  const set = hasRole(request.caller, 'user') ? known : known.open
  const pieces: string[] = []
  for (const [index, card] of set.ordered('name', false).entries()) {
    if (index % atATime === atATime - 1) await setImmediate()
    const { srs } = card.place
    if (card.kind !== 'raster' || srs === undefined) continue
    if (workspace !== undefined && card.workspace !== workspace) continue
    pieces.push(write(card, srs, (await parts.bounds.of(card)) ?? [-180, -90, 180, 90]))
  }
  return pieces.join('')
}

/** West and east of bounds that may go on beyond 180 degrees: all around then. */
export function westAndEast([west = -180, , east = 180]: readonly number[]): [west: number, east: number] {
  return east > 180 ? [-180, 180] : [west, east]
}
