import { useSignal } from '@preact/signals'
import { MapView } from '../../map/map-view.tsx'
import type { MapObject } from '../../map/objects.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import type { LayerReply } from './wire.ts'

/** The layer in its style; a click gives what stands there. */
export function LayerMap({ id, layer }: { id: string; layer: LayerReply['layer'] }) {
  const texts = layerTexts.value
  const picked = useSignal<MapObject[]>([])
  const { bbox } = layer
  const isGeographic = bbox !== undefined && Math.abs(bbox.minx) <= 180 && Math.abs(bbox.maxy) <= 90
  return (
    <section class="panel lay-map">
      <MapView
        label={texts.map}
        layers={[id]}
        selected={picked.value}
        onPick={(found) => {
          picked.value = found === undefined ? [] : [found]
        }}
        {...(isGeographic && { bounds: [bbox.minx, bbox.miny, bbox.maxx, bbox.maxy] })}
      />
    </section>
  )
}
