import type { Format } from '../format.ts'
import { readLater } from '../format.ts'
import { findRootName } from '../xml/root-name.ts'

/** GPX 1.0 and 1.1: waypoints, routes and tracks, and the points of the latter two, as separate layers. */
export const gpx: Format = {
  name: 'GPX',
  kind: 'vector',
  extensions: ['gpx'],
  mediaTypes: { 'application/gpx+xml': ['gpx'] },
  canServeDirectly: false,
  detect: (_, head) => findRootName(head) === 'gpx',
  ...readLater(async () => (await import('./read-gpx.ts')).gpxReading),
}
