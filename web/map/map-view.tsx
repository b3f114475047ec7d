import {
  AttributionControl,
  type LngLatBoundsLike,
  Map as MapLibre,
  NavigationControl,
  ScaleControl,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl'
import { useEffect, useRef } from 'preact/hooks'

setWorkerUrl(new URL(MAPLIBRE_WORKER, import.meta.url).href)

interface MapViewProps {
  /** What the map is, for who does not see it. */
  label: string
  style: StyleSpecification
  /** West, south, east, north in degrees. */
  bounds?: readonly number[]
  /** Called with the properties of the features at a place that was clicked. */
  onPick?(features: readonly Record<string, unknown>[], at: [number, number]): void
}

/** A map by MapLibre. Another style is drawn without moving it. */
export function MapView({ label, style, bounds, onPick }: MapViewProps) {
  const element = useRef<HTMLElement>(null)
  const map = useRef<MapLibre>(undefined)
  const picked = useRef(onPick)
  picked.current = onPick
  useEffect(() => {
    const container = element.current
    if (container === null) return undefined
    const made = new MapLibre({
      container,
      style,
      attributionControl: false,
      ...(bounds && { bounds: bounds as LngLatBoundsLike, fitBoundsOptions: { padding: 24, maxZoom: 15 } }),
    })
    made.addControl(new NavigationControl({ showCompass: false }))
    made.addControl(new ScaleControl())
    made.addControl(new AttributionControl({ compact: true }))
    made.on('click', (event) => {
      const found = made.queryRenderedFeatures(event.point)
      picked.current?.(
        found.map(({ properties }) => properties),
        [event.lngLat.lng, event.lngLat.lat],
      )
    })
    map.current = made
    return () => made.remove()
  }, [])
  const drawn = useRef(style)
  useEffect(() => {
    if (drawn.current === style) return
    drawn.current = style
    map.current?.setStyle(style)
  }, [style])
  return <section ref={element} class="map-view" aria-label={label} />
}
