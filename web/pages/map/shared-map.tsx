import { useMemo } from 'preact/hooks'
import type { View } from '../../map/map-props.ts'
import type { MapState } from '../../map/map-state.ts'
import { MapView } from '../../map/map-view.tsx'
import { boundsOfAll, drawnTogether, type Published } from './layer-styles.ts'

interface Props {
  label: string
  state: MapState
  published: readonly Published[]
  onView?(view: View): void
}

/** The layers of a map over each other. */
export function SharedMap({ label, state, published, onView }: Props) {
  const { layers, view, hasBackground } = state
  const drawn = JSON.stringify(layers)
  const style = useMemo(() => drawnTogether(layers, published), [drawn, published])
  const bounds = useMemo(() => boundsOfAll(published), [published])
  return (
    <MapView
      label={label}
      style={style}
      hasBackground={hasBackground}
      bounds={bounds}
      view={view}
      onView={onView}
    />
  )
}
