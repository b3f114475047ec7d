import type { LayerSummary } from '../../catalog/index.ts'
import { layerSegment } from '../tiles/named-layers.ts'

/** Returns the path of a layer's legend in one of its styles. */
export function legendPath(card: LayerSummary, style: string): string {
  const path = `/tiles/${layerSegment(card)}/legend.png`
  return style === card.style ? path : `${path}?style=${encodeURIComponent(style)}`
}
