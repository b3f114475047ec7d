import type { Map as MapLibreMap } from 'maplibre-gl'
import type { RefObject } from 'preact'
import { Icon } from '../components/icon.tsx'
import { messages } from '../messages/messages.ts'
import { isStill } from './open-map.ts'

interface MapButtonsProps {
  map: RefObject<MapLibreMap | undefined>
  /** Shows all of the data. */
  onWhole?(): void
}

/** Zoom in, zoom out, full extent. */
export function MapButtons({ map, onWhole }: MapButtonsProps) {
  const texts = messages.value.map
  const options = (): { animate: boolean } => ({ animate: !isStill.matches })
  return (
    <div class="mapbar">
      <button type="button" aria-label={texts.nearer} onClick={() => map.current?.zoomIn(options())}>
        <Icon name="plus" />
      </button>
      <button type="button" aria-label={texts.farther} onClick={() => map.current?.zoomOut(options())}>
        <Icon name="minus" />
      </button>
      {onWhole !== undefined && (
        <button type="button" aria-label={texts.whole} onClick={onWhole}>
          <Icon name="expand" />
        </button>
      )}
    </div>
  )
}
