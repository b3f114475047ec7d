import type { Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Failed } from '../components/states.tsx'
import { type CombinedStyle, combine, type DataStyle } from './combined-style.ts'
import { FoundHere } from './features-here.tsx'
import { bringInSight, fit } from './fit.ts'
import { MapButtons } from './map-buttons.tsx'
import type { MapViewProps, View } from './map-props.ts'
import { type Bounds, chosenStyle, objectsStyle, withFilter, withRows } from './objects.ts'
import { type MapFeatureInfo, openMap } from './open-map.ts'
import { type MapPosition, ScaleBar } from './scale-bar.tsx'
import { isDark } from './theme.ts'
import { usePublished } from './use-published.ts'

/** A map by MapLibre; moved by pointer, touch and keys. */
export function DrawnMap(props: MapViewProps) {
  const { label, layers = [], version, style, objects, selected, bounds, hasBackground = true } = props
  const container = useRef<HTMLDivElement>(null)
  const map = useRef<MapLibreMap>(undefined)
  const now = useRef<{ props: MapViewProps; combined?: CombinedStyle }>({ props })
  now.current.props = props
  const [place, setPlace] = useState<MapPosition>()
  const [mapFeatureInfo, setRequested] = useState<MapFeatureInfo>()
  const [failed, setFailed] = useState<unknown>()
  const { known, error, again } = usePublished(layers, version)
  const [attributions, setAttributions] = useState<string[]>([])

  const ask = (answer: MapFeatureInfo): void => {
    const isNothing = answer.found.length === 0
    if (isNothing) now.current.props.onPick?.(undefined)
    setRequested(isNothing ? undefined : answer)
  }
  useEffect(() => {
    const element = container.current
    if (known === undefined || element === null) return
    const combined = combine(
      groundOf(known.background, hasBackground),
      dataOf(known.published, now.current.props),
    )
    now.current.combined = combined
    setAttributions(combined.attributions)
    const whole = withChosen(combined, selected)
    if (map.current !== undefined) map.current.setStyle(whole)
    else
      try {
        map.current = openMap(element, whole, {
          title: label,
          dataIds: () => now.current.combined?.dataIds ?? [],
          onMove: () => setPlace(placeOf(map.current)),
          onRest: () => tellRest(map.current, now.current.props),
          onAsk: ask,
          onError: setFailed,
        })
        if (props.view !== undefined) jumpTo(map.current, props.view)
        else begin(map.current, props.begin ?? bounds, known.published)
      } catch (reason) {
        setFailed(reason)
      }
  }, [known, props.rows, props.filter, style, objects, hasBackground])
  useEffect(() => {
    const { combined } = now.current
    if (map.current !== undefined && combined !== undefined)
      map.current.setStyle(withChosen(combined, selected))
  }, [selected])
  useEffect(() => () => map.current?.remove(), [])
  useCamera(map, props)
  const close = (): void => {
    setRequested(undefined)
    props.onPick?.(undefined)
    map.current?.getCanvas().focus({ preventScroll: true })
  }
  const point = mapFeatureInfo && map.current?.project(mapFeatureInfo.at)
  const reason = error ?? failed
  return (
    <>
      <div ref={container} class="canvas" />
      <MapButtons map={map} onWhole={bounds ? () => fit(map.current, bounds, true) : undefined} />
      {place !== undefined && <ScaleBar {...place} />}
      <Attribution to={attributions} />
      {mapFeatureInfo !== undefined && point !== undefined && (
        <FoundHere
          key={mapFeatureInfo.at.join(' ')}
          requested={mapFeatureInfo}
          point={point}
          isBelow={point.y < (map.current?.getContainer().clientHeight ?? 0) / 2}
          label={label}
          onLook={props.onPick}
          popup={props.popup}
          onClose={close}
        />
      )}
      {reason !== undefined && <Failed error={reason} onAgain={() => [setFailed(undefined), again()]} />}
    </>
  )
}

/** Goes where the bounds change to, and to what is to be in sight. */
function useCamera(map: { current: MapLibreMap | undefined }, { bounds, show }: MapViewProps): void {
  const edges = bounds?.join(',')
  useEffect(() => {
    if (map.current !== undefined && bounds !== undefined) fit(map.current, bounds, true)
  }, [edges])
  const shown = show?.join(',')
  useEffect(() => {
    if (map.current !== undefined && show !== undefined) bringInSight(map.current, show)
  }, [shown])
}

function Attribution({ to }: { to: readonly string[] }) {
  if (to.length === 0) return null
  return (
    <div class="attr cut" dir="auto">
      {to.join(' · ')}
    </div>
  )
}

function dataOf(published: DataStyle | undefined, props: MapViewProps): DataStyle[] {
  const { layers: [layer] = [], rows, filter, style, objects } = props
  const handedIn = objects && objectsStyle({ name: 'objects', objects }, isDark.peek())
  const shown = published && filter !== undefined ? withFilter(published, filter) : published
  const drawn = shown && rows && layer !== undefined ? withRows(shown, layer, rows) : shown
  return [drawn, style, handedIn].filter((one) => one !== undefined)
}

/** Shows the bounds, or the place that the style names. */
function begin(map: MapLibreMap, bounds: Bounds | undefined, { center, zoom }: DataStyle = noData): void {
  if (bounds !== undefined) fit(map, bounds, false)
  else if (center !== undefined) map.jumpTo({ center: center as [number, number], zoom: zoom ?? 0 })
}

function jumpTo(map: MapLibreMap, { zoom, latitude, longitude }: View): void {
  map.jumpTo({ zoom, center: [longitude, latitude] })
}

type Background = Parameters<typeof combine>[0]

/** Without a background the ground has its colour alone. */
function groundOf(background: Background, hasBackground: boolean): Background {
  if (hasBackground) return background
  const layers = background.style.layers.filter(({ type }) => type === 'background')
  return { ...background, style: { ...background.style, sources: {}, layers } }
}

const noData: DataStyle = { sources: {}, layers: [] }

function withChosen(
  { style }: CombinedStyle,
  selected: MapViewProps['selected'] = [],
): CombinedStyle['style'] {
  const marked = chosenStyle({ name: 'chosen', objects: selected }, isDark.peek())
  return {
    ...style,
    sources: { ...style.sources, ...marked.sources },
    layers: [...style.layers, ...marked.layers],
  }
}

function placeOf(map: MapLibreMap | undefined): MapPosition | undefined {
  return map && { latitude: map.getCenter().lat, zoom: map.getZoom() }
}

function tellRest(map: MapLibreMap | undefined, { onRest, onView }: MapViewProps): void {
  const edges = map?.getBounds()
  const { lat, lng } = map?.getCenter() ?? { lat: 0, lng: 0 }
  if (map !== undefined) onView?.({ zoom: map.getZoom(), latitude: lat, longitude: lng })
  if (edges !== undefined) onRest?.([edges.getWest(), edges.getSouth(), edges.getEast(), edges.getNorth()])
}
