import type { Map as MapLibreMap } from 'maplibre-gl'
import type { Bounds } from './objects.ts'
import { isStill } from './open-map.ts'

const maxLatitude = 85
/** Limits of the inhabited world. */
const worldSouth = -58
const worldNorth = 80
const worldDegrees = 300
const tilePixels = 512

/** Shows the bounds; a world extent is not repeated. */
export function fit(map: MapLibreMap | undefined, bounds: Bounds, isMoved: boolean): void {
  const [west, south, east, north] = bounds
  if (map === undefined) return
  if (west === undefined || south === undefined || east === undefined || north === undefined) return
  const isWorld = east - west > worldDegrees
  const [least, most] = isWorld ? [worldSouth, worldNorth] : [-maxLatitude, maxLatitude]
  const inside = (latitude: number): number => Math.min(most, Math.max(least, latitude))
  const camera = map.cameraForBounds(
    [
      [west, inside(south)],
      // Across the antimeridian the east is beyond 180 degrees.
      [east < west ? east + 360 : east, inside(north)],
    ],
    { padding: 24, maxZoom: 15 },
  )
  if (camera === undefined) return
  const { clientWidth, clientHeight } = map.getContainer()
  const oneWorld = Math.log2(Math.max(clientWidth, clientHeight) / tilePixels)
  map.easeTo({ ...camera, zoom: Math.max(camera.zoom ?? 0, oneWorld), animate: isMoved && !isStill.matches })
}

/** Moves no more than is needed: what is in sight stays where it is. */
export function bringInSight(map: MapLibreMap, bounds: Bounds): void {
  const [west = 0, south = 0, east = 0, north = 0] = bounds
  const seen = map.getBounds()
  const isThere = seen.contains([west, south]) && seen.contains([east, north])
  const isTooLarge = seen.contains([(west + east) / 2, (south + north) / 2])
  if (isThere || isTooLarge) return
  fit(map, bounds, true)
}
