import type { GeometryType, Schema } from '../../../geo/schema.ts'
import { xmlTypes } from './gml-values.ts'
import { xmlAttribute, xmlName } from './xml-text.ts'

export const gmlNamespace = 'http://www.opengis.net/gml/3.2'
const levels = 'http://www.opengis.net/gmlsf/2.0'
const levelsLocation = 'http://schemas.opengis.net/gmlsfProfile/2.0/gmlsfLevels.xsd'

const geometryProperties: Record<GeometryType, string> = {
  ...{ Geometry: 'GeometryPropertyType', Point: 'PointPropertyType', LineString: 'CurvePropertyType' },
  ...{ Polygon: 'SurfacePropertyType', MultiPoint: 'MultiPointPropertyType' },
  ...{ MultiLineString: 'MultiCurvePropertyType', MultiPolygon: 'MultiSurfacePropertyType' },
  GeometryCollection: 'MultiGeometryPropertyType',
}

/** Types whose elements may be curves in GML, and are none here: GDAL reads the note that says so. */
const curveless = new Set<GeometryType>(['LineString', 'Polygon', 'MultiLineString', 'MultiPolygon'])

/** The application schema of a layer (OGC 10-100r3, GML simple features, level 0): its features as elements of a namespace. */
export function gmlSchema({ name, namespace, schema }: GmlType): string {
  const element = xmlName(name)
  const { attributes, geometry } = schema
  const lines = attributes.map(({ name: own, type }) => property(own, `xs:${xmlTypes[type]}`))
  if (geometry !== undefined) {
    const type = `gml:${geometryProperties[geometry.type]}`
    lines.push(property(geometry.name, type, curveless.has(geometry.type) ? geometry.type : undefined))
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="${gmlNamespace}" xmlns:gmlsf="${levels}" xmlns:a="${xmlAttribute(namespace)}" targetNamespace="${xmlAttribute(namespace)}" elementFormDefault="qualified" version="1.0">
  <xs:annotation>
    <xs:appinfo source="${levelsLocation}">
      <gmlsf:ComplianceLevel>0</gmlsf:ComplianceLevel>
    </xs:appinfo>
  </xs:annotation>
  <xs:import namespace="${gmlNamespace}" schemaLocation="http://schemas.opengis.net/gml/3.2.1/gml.xsd"/>
  <xs:import namespace="${levels}" schemaLocation="${levelsLocation}"/>
  <xs:element name="${element}" type="a:${element}Type" substitutionGroup="gml:AbstractFeature"/>
  <xs:complexType name="${element}Type">
    <xs:complexContent>
      <xs:extension base="gml:AbstractFeatureType">
        <xs:sequence>
${lines.join('')}        </xs:sequence>
      </xs:extension>
    </xs:complexContent>
  </xs:complexType>
</xs:schema>
`
}

/** What the features of a layer are in XML. */
export interface GmlType {
  /** Of the layer. */
  name: string
  namespace: string
  schema: Schema
}

function property(name: string, type: string, only?: GeometryType): string {
  const note = only === undefined ? '' : ` <!-- restricted to ${only} -->`
  return `          <xs:element name="${xmlName(name)}" type="${type}" minOccurs="0"/>${note}\n`
}
