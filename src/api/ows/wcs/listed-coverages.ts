import type { LayerSummary } from '../../../catalog/index.ts'
import type { LayerBounds } from '../../layer-bounds.ts'

/** A piece of capabilities for each of the layers that is a coverage whose CRS has a code; bounds in degrees. */
export async function* listReadableCoverages(
  bounds: LayerBounds,
  cards: readonly LayerSummary[],
  write: (card: LayerSummary, srs: string, bounds: number[]) => string,
): AsyncGenerator<string> {
  for (const card of cards) {
    if (isCoverage(card))
      yield write(card, card.place.srs ?? '', (await bounds.of(card)) ?? [-180, -90, 180, 90])
  }
}

/** True if WCS offers the layer: its CRS has a code. */
export function isCoverage({ kind, place }: LayerSummary): boolean {
  return kind === 'raster' && place.srs !== undefined
}

/** West and east of bounds that may go on beyond 180 degrees: all around then. */
export function westAndEast([west = -180, , east = 180]: readonly number[]): [west: number, east: number] {
  return east > 180 ? [-180, 180] : [west, east]
}
