import type { LayerSummary } from '../catalog/index.ts'
import type { LayerBounds } from './layer-bounds.ts'

/** Returns west, south, east and north of several layers; undefined where none of them has known bounds. */
export async function boundsOfLayers(
  bounds: LayerBounds,
  cards: readonly LayerSummary[],
): Promise<number[] | undefined> {
  const found = (await Promise.all(cards.map((card) => bounds.of(card)))).filter((one) => one !== undefined)
  const [first, ...others] = found
  if (first === undefined) return undefined
  return others.reduce(
    ([west = 0, south = 0, east = 0, north = 0], [left = 0, bottom = 0, right = 0, top = 0]) => {
      return [Math.min(west, left), Math.min(south, bottom), Math.max(east, right), Math.max(north, top)]
    },
    first,
  )
}
