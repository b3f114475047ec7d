import type { LayerCard } from '../../catalog/cards/layer-card.ts'
import { layerSegment } from '../tiles/layer-names.ts'

/** Returns the path of a layer's legend in one of its styles. */
export function legendPath(card: LayerCard, style: string): string {
  const path = `/tiles/${layerSegment(card)}/legend.png`
  return style === card.style ? path : `${path}?style=${encodeURIComponent(style)}`
}
