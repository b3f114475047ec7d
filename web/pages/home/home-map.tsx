import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { MapView } from '../../map/map-view.tsx'
import { homeTexts } from '../../messages/home/texts.ts'
import type { MappedLayers } from './layers-on-map.ts'

/** Layers of the catalogue over each other, each in its own style. */
export function HomeMap({ ids, bounds }: MappedLayers) {
  const texts = homeTexts.value
  const query = new URLSearchParams({ layers: ids.join(',') })
  return (
    <div class="home-map">
      <MapView label={texts.map} layers={ids} bounds={bounds} />
      <a class="open" href={`${addressOf('/app/map')}?${query}`}>
        <Icon name="expand" />
        {texts.openMap}
      </a>
    </div>
  )
}
