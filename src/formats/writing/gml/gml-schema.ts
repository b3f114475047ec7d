import type { GeometryType, Schema } from '../../../geo/schema.ts'
import { xmlTypes } from './gml-values.ts'
import { xmlAttribute, xmlName } from './xml-text.ts'

/** Versions of GML for writing features: 3.2 (ISO 19136), 3.1.1 (OGC 03-105r1) and 2.1.2 (OGC 02-069). */
export type GmlVersion = '3.2' | '3.1' | '2.1'

export const gmlNamespaces: Record<GmlVersion, string> = {
  '3.2': 'http://www.opengis.net/gml/3.2',
  '3.1': 'http://www.opengis.net/gml',
  '2.1': 'http://www.opengis.net/gml',
}

/** Locations of their schemas. */
const gmlSchemaLocations: Record<GmlVersion, string> = {
  '3.2': 'http://schemas.opengis.net/gml/3.2.1/gml.xsd',
  '3.1': 'http://schemas.opengis.net/gml/3.1.1/base/gml.xsd',
  '2.1': 'http://schemas.opengis.net/gml/2.1.2/feature.xsd',
}

const levels = 'http://www.opengis.net/gmlsf/2.0'
const levelsLocation = 'http://schemas.opengis.net/gmlsfProfile/2.0/gmlsfLevels.xsd'

const geometryProperties: Record<GeometryType, string> = {
  Geometry: 'GeometryPropertyType',
  Point: 'PointPropertyType',
  LineString: 'CurvePropertyType',
  Polygon: 'SurfacePropertyType',
  MultiPoint: 'MultiPointPropertyType',
  MultiLineString: 'MultiCurvePropertyType',
  MultiPolygon: 'MultiSurfacePropertyType',
  GeometryCollection: 'MultiGeometryPropertyType',
}

/** GML 2 has no curves and surfaces (OGC 02-069, section 2.3). */
const olderGeometryProperties: Record<GeometryType, string> = {
  ...geometryProperties,
  Geometry: 'GeometryAssociationType',
  LineString: 'LineStringPropertyType',
  Polygon: 'PolygonPropertyType',
  MultiLineString: 'MultiLineStringPropertyType',
  MultiPolygon: 'MultiPolygonPropertyType',
}

/** Types whose GML elements may contain curves but do not here: GDAL reads the annotation that says so. */
const curveless = new Set<GeometryType>(['LineString', 'Polygon', 'MultiLineString', 'MultiPolygon'])

/**
 * Returns the application schema of a layer (OGC 10-100r3, GML simple features, level 0): features as
 * elements of a namespace.
 */
export function gmlSchema({ name, namespace, schema }: GmlType): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="${gmlNamespaces['3.2']}" xmlns:gmlsf="${levels}" xmlns:a="${xmlAttribute(namespace)}" targetNamespace="${xmlAttribute(namespace)}" elementFormDefault="qualified" version="1.0">
  <xs:annotation>
    <xs:appinfo source="${levelsLocation}">
      <gmlsf:ComplianceLevel>0</gmlsf:ComplianceLevel>
    </xs:appinfo>
  </xs:annotation>
  <xs:import namespace="${gmlNamespaces['3.2']}" schemaLocation="${gmlSchemaLocations['3.2']}"/>
  <xs:import namespace="${levels}" schemaLocation="${levelsLocation}"/>
${gmlFeatureType({ name, schema }, { prefix: 'a', version: '3.2' })}</xs:schema>
`
}

/** Location of the types of a schema with several layers. */
export interface GmlNamespace {
  namespace: string
  /** Namespace prefix in the schema. */
  prefix: string
  version: GmlVersion
}

/** Returns the text around the types of an application schema with several layers of one namespace. */
export function gmlSchemaFrame({ namespace, prefix, version }: GmlNamespace): { head: string; tail: string } {
  const gml = gmlNamespaces[version]
  const head = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="${gml}" xmlns:${prefix}="${xmlAttribute(namespace)}" targetNamespace="${xmlAttribute(namespace)}" elementFormDefault="qualified" version="1.0">
  <xs:import namespace="${gml}" schemaLocation="${gmlSchemaLocations[version]}"/>
`
  return { head, tail: '</xs:schema>\n' }
}

/** Returns a layer as a schema type. */
export function gmlFeatureType(
  { name, schema: { attributes, geometry } }: Omit<GmlType, 'namespace'>,
  { prefix, version }: Pick<GmlNamespace, 'prefix' | 'version'>,
): string {
  const element = xmlName(name)
  const lines = attributes.map(({ name: own, type }) => property(own, `xs:${xmlTypes[type]}`))
  if (geometry !== undefined) {
    const isOlder = version === '2.1'
    const type = `gml:${(isOlder ? olderGeometryProperties : geometryProperties)[geometry.type]}`
    const only = !isOlder && curveless.has(geometry.type) ? geometry.type : undefined
    lines.push(property(geometry.name, type, only))
  }
  const group = version === '3.2' ? 'gml:AbstractFeature' : 'gml:_Feature'
  return `  <xs:element name="${element}" type="${prefix}:${element}Type" substitutionGroup="${group}"/>
  <xs:complexType name="${element}Type">
    <xs:complexContent>
      <xs:extension base="gml:AbstractFeatureType">
        <xs:sequence>
${lines.join('')}        </xs:sequence>
      </xs:extension>
    </xs:complexContent>
  </xs:complexType>
`
}

/** XML type of the features of a layer. */
export interface GmlType {
  /** Name of the layer. */
  name: string
  namespace: string
  schema: Schema
}

function property(name: string, type: string, only?: GeometryType): string {
  const note = only === undefined ? '' : ` <!-- restricted to ${only} -->`
  return `          <xs:element name="${xmlName(name)}" type="${type}" minOccurs="0"/>${note}\n`
}

/** Returns a schema that only imports others, each of a namespace. */
export function gmlSchemaImports(imports: readonly { namespace: string; location: string }[]): string {
  const lines = imports.map(
    ({ namespace, location }) =>
      `  <xs:import namespace="${xmlAttribute(namespace)}" schemaLocation="${location}"/>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified" version="1.0">
${lines.join('')}</xs:schema>
`
}
