/** Versions of GML for writing features: 3.2 (ISO 19136), 3.1.1 (OGC 03-105r1) and 2.1.2 (OGC 02-069). */
export type GmlVersion = '3.2' | '3.1' | '2.1'

export const gmlNamespaces: Record<GmlVersion, string> = {
  '3.2': 'http://www.opengis.net/gml/3.2',
  '3.1': 'http://www.opengis.net/gml',
  '2.1': 'http://www.opengis.net/gml',
}

/** Locations of their schemas. */
export const gmlSchemaLocations: Record<GmlVersion, string> = {
  '3.2': 'http://schemas.opengis.net/gml/3.2.1/gml.xsd',
  '3.1': 'http://schemas.opengis.net/gml/3.1.1/base/gml.xsd',
  '2.1': 'http://schemas.opengis.net/gml/2.1.2/feature.xsd',
}
