import { Map as MapLibreMap, type PointLike, type StyleSpecification, setWorkerUrl } from 'maplibre-gl'
import type { Place } from './scale-bar.tsx'

setWorkerUrl(new URL(MAPLIBRE_WORKER, import.meta.url).href)

/** Whether the reader wants nothing to move by itself. */
export const isStill = matchMedia('(prefers-reduced-motion: reduce)')

/** What stands at a point of the map. */
export interface Found {
  layer: string
  values: [name: string, value: string][]
}

interface Heard {
  title: string
  /** The parts of the style that are data. */
  dataIds(): readonly string[]
  onPlace(place: Place): void
  /** Of a click, or of Enter, which asks for the middle; undefined where there is nothing. */
  onFound(found: Found | undefined): void
}

/** Draws a map without buttons; north is up. Its element says `data-drawn` when all is there. */
export function openMap(container: HTMLElement, style: StyleSpecification, heard: Heard): MapLibreMap {
  const map = new MapLibreMap({
    ...{ container, style, attributionControl: false, dragRotate: false, pitchWithRotate: false },
    fadeDuration: isStill.matches ? 0 : 150,
    locale: { 'Map.Title': heard.title },
  })
  map.touchZoomRotate.disableRotation()
  const look = (): void => heard.onPlace({ latitude: map.getCenter().lat, zoom: map.getZoom() })
  map.on('move', look)
  map.on('load', look)
  map.on('click', ({ point }) => heard.onFound(valuesAt(map, point, heard.dataIds())))
  map.on('idle', () => {
    container.dataset['drawn'] = 'yes'
  })
  map.getCanvas().addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') heard.onFound(valuesAt(map, map.project(map.getCenter()), heard.dataIds()))
  })
  return map
}

/** Of what is drawn on top there. */
function valuesAt(map: MapLibreMap, point: PointLike, dataIds: readonly string[]): Found | undefined {
  const layers = dataIds.filter((id) => map.getLayer(id) !== undefined)
  const [feature] = map.queryRenderedFeatures(point, { layers })
  if (feature === undefined) return undefined
  const values = Object.entries(feature.properties).map(([name, value]): Found['values'][number] => [
    name,
    String(value),
  ])
  return { layer: feature.sourceLayer ?? '', values }
}
