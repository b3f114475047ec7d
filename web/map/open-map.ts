import {
  addProtocol,
  type MapGeoJSONFeature,
  Map as MapLibreMap,
  type Point,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl'
import { giveMarks } from './change-marks.ts'
import type { MapObject } from './objects.ts'
import type { Hit } from './order-hits.ts'
import { orderHits } from './order-hits.ts'
import { unsavedStyleProtocol, unsavedStyleTile } from './unsaved-style-tiles.ts'

setWorkerUrl(new URL(MAPLIBRE_WORKER, import.meta.url).href)
addProtocol(unsavedStyleProtocol, async ({ url }, { signal }) => ({
  data: await unsavedStyleTile(url, signal),
}))

/** True if the reader prefers reduced motion. */
export const isStill = matchMedia('(prefers-reduced-motion: reduce)')

/** An object at a location of the map. */
export interface MapFeature extends MapObject {
  /** As `workspace:name`, or the name of the source of supplied objects. */
  layer: string
  properties: Record<string, unknown>
}

/** Location of a query and the objects there, topmost first. */
export interface MapFeatureInfo {
  at: [number, number]
  found: MapFeature[]
}

interface Heard {
  title: string
  /** The parts of the style that are data. */
  dataIds(): readonly string[]
  onMove(): void
  /** The map has stopped moving. */
  onRest(): void
  /** Called for a click, or for Enter, which queries the center. */
  onAsk(mapFeatureInfo: MapFeatureInfo): void
  onError(error: unknown): void
}

/** Creates a map without buttons; north is up. Its element has `data-drawn` when everything is drawn. */
export function openMap(container: HTMLElement, style: StyleSpecification, heard: Heard): MapLibreMap {
  const map = new MapLibreMap({
    container,
    style,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    fadeDuration: isStill.matches ? 0 : 150,
    touchPitch: false,
    maxPitch: 0,
    locale: { 'Map.Title': heard.title },
  })
  giveMarks(map)
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.on('move', heard.onMove)
  map.on('load', heard.onMove)
  map.on('moveend', heard.onRest)
  map.on('error', ({ error }) => heard.onError(error))
  map.on('click', ({ point }) => heard.onAsk(requestedAt(map, point, heard.dataIds())))
  map.on('idle', () => {
    container.dataset['drawn'] = 'yes'
  })
  map.on('dataloading', () => {
    delete container.dataset['drawn']
  })
  map.getCanvas().addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') heard.onAsk(requestedAt(map, map.project(map.getCenter()), heard.dataIds()))
  })
  return map
}

const reach = 4
const maxFound = 20

function requestedAt(map: MapLibreMap, point: Point, dataIds: readonly string[]): MapFeatureInfo {
  const { lng, lat } = map.unproject(point)
  const layers = dataIds.filter((id) => map.getLayer(id) !== undefined)
  const around: [[number, number], [number, number]] = [
    [point.x - reach, point.y - reach],
    [point.x + reach, point.y + reach],
  ]
  const [exact, near] = [point, around].map((place) => map.queryRenderedFeatures(place, { layers }))
  // Lines and points are hard to hit; of areas those are meant that are under the point.
  const beside = (near ?? []).filter(({ geometry }) => !/Polygon/.test(geometry.type))
  const hits = [
    ...(exact ?? []).map((feature) => hitBy(map, feature, isMark(feature))),
    ...beside.map((feature) => hitBy(map, feature, false)),
  ]
  const ordered = orderHits(hits, { lng, lat, worldPixels: 512 * 2 ** map.getZoom() })
  return { at: [lng, lat], found: eachOnce(ordered) }
}

interface RenderedHit extends Hit {
  feature: MapGeoJSONFeature
}

function hitBy(map: MapLibreMap, feature: MapGeoJSONFeature, isMarkHit: boolean): RenderedHit {
  return { feature, geometry: feature.geometry, layer: layerOf(map, feature), isMarkHit }
}

/** True if a style layer draws marks or labels, which may extend beyond the geometry. */
function isMark({ layer }: MapGeoJSONFeature): boolean {
  return layer.type === 'symbol' || layer.type === 'circle'
}

/** Removes duplicates of objects that several style layers draw, or that are in several tiles. */
function eachOnce(hits: readonly RenderedHit[]): MapFeature[] {
  const found = new Map<string, MapFeature>()
  for (const { layer, feature } of hits) {
    const { id, properties, geometry } = feature
    const key = `${layer} ${id ?? JSON.stringify(properties)}`
    if (found.has(key) || found.size >= maxFound) continue
    found.set(key, { layer, properties, geometry, id })
  }
  return [...found.values()]
}

function layerOf(map: MapLibreMap, { source, sourceLayer }: MapGeoJSONFeature): string {
  const described = map.getStyle().sources[source]
  const url = described !== undefined && 'url' in described ? described.url : undefined
  const name = url === undefined ? undefined : /\/tiles\/([^/?]+)/.exec(url)?.[1]
  return name === undefined ? (sourceLayer ?? source) : decodeURIComponent(name)
}
