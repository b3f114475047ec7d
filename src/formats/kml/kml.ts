import type { Format } from '../format.ts'
import { readLater } from '../format.ts'
import { findRootName } from '../xml/root-name.ts'

/** KML 2.0 to 2.3 (OGC 12-007r2 and the gx extension): one layer with the placemarks of the file. */
export const kml: Format = {
  name: 'KML',
  kind: 'vector',
  extensions: ['kml'],
  mediaTypes: { 'application/vnd.google-earth.kml+xml': ['kml'] },
  canServeDirectly: false,
  findsTypesByText: true,
  writtenByGdal: { drivers: ['LIBKML'], extension: 'kml' },
  detect: (_, head) => findRootName(head) === 'kml',
  ...readLater(async () => (await import('./read-kml.ts')).kmlReading),
}
