import { escapeXml } from '../../core/text/escape.ts'
import { readXmlTree, type XmlElement } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { AttributeType } from '../../geo/schema.ts'

/** A property of a feature type: a geometry, or an attribute with its type. */
export interface FeatureProperty {
  name: string
  type: AttributeType | 'geometry'
  /** Name of the child element that contains the value. */
  inner?: string
}

const limits = { maxDepth: 60, maxElements: 50_000, maxAttributes: 100 }

/** Types of XML Schema (part 2). `integer` is unlimited, but services send at most 64 bits. */
const simpleTypes: Record<string, AttributeType> = {
  boolean: 'boolean',
  byte: 'int32',
  short: 'int32',
  int: 'int32',
  unsignedByte: 'int32',
  unsignedShort: 'int32',
  unsignedInt: 'int64',
  long: 'int64',
  integer: 'int64',
  nonNegativeInteger: 'int64',
  positiveInteger: 'int64',
  nonPositiveInteger: 'int64',
  negativeInteger: 'int64',
  unsignedLong: 'decimal',
  decimal: 'decimal',
  float: 'float64',
  double: 'float64',
  date: 'date',
  time: 'time',
  dateTime: 'timestamp',
  string: 'text',
  normalizedString: 'text',
  token: 'text',
  anyURI: 'text',
  language: 'text',
  Name: 'text',
  NCName: 'text',
  ID: 'text',
}

const geometryForm =
  /^(?:Multi)?(?:Geometry|Point|Curve|LineString|Surface|Polygon|Solid|GeometricPrimitive|GeometricAggregate)(?:Property|Association)Type$/

/**
 * Returns the properties of a feature type in the response to DescribeFeatureType, in their order. Undefined
 * if it has other properties than geometries and single simple values; these can only be derived from
 * features.
 */
export function parseFeatureType(text: string, layer: string): FeatureProperty[] | undefined {
  try {
    return new SchemaReader(text).properties(localName(layer))
  } catch (error) {
    if (error instanceof UnreadableSchema) return undefined
    throw error
  }
}

/** Names that need no escapes in the feature schema, whose reader does not support escapes. */
const xmlName = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

class UnreadableSchema extends Error {}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function refuse(): never {
  throw new UnreadableSchema('The schema has complex types')
}

class SchemaReader {
  readonly #schema: XmlElement

  constructor(text: string) {
    const tree = readXmlTree(text, { ...limits, nameOf: localName, onBroken: refuse, onTooLarge: refuse })
    this.#schema = tree.children.find(({ name }) => name === 'schema') ?? refuse()
  }

  properties(featureType: string): FeatureProperty[] {
    if (!xmlName.test(featureType)) refuse()
    const element = this.#find('element', featureType)
    const { type } = element.attributes
    const complex =
      type === undefined
        ? (element.children.find(({ name }) => name === 'complexType') ?? refuse())
        : this.#find('complexType', localName(type))
    const found = elementsOf(complex).map((one) => this.#property(one))
    const names = new Set(found.map(({ name }) => name.toLowerCase()))
    if (found.length === 0 || names.size < found.length || names.has('gml_id')) refuse()
    return found
  }

  #find(kind: string, named: string): XmlElement {
    const { children } = this.#schema
    return children.find(({ name, attributes }) => name === kind && attributes['name'] === named) ?? refuse()
  }

  #property({ attributes, children }: XmlElement): FeatureProperty {
    const { name, type, maxOccurs = '1' } = attributes
    if (name === undefined || !xmlName.test(name) || maxOccurs !== '1') refuse()
    if (type !== undefined) return this.#typed(name, type)
    const [simple] = children.filter((child) => child.name === 'simpleType')
    return simple === undefined ? refuse() : { name, type: this.#simple(simple) }
  }

  #typed(name: string, qualified: string): FeatureProperty {
    const type = localName(qualified)
    if (geometryForm.test(type)) return { name, type: 'geometry' }
    // MapServer's type of dates and times.
    if (type === 'TimeInstantType') return { name, type: 'timestamp', inner: 'timePosition' }
    return { name, type: this.#plain(qualified) }
  }

  /**
   * Types that the schema defines take precedence over those of XML Schema, which is often the default
   * namespace.
   */
  #plain(qualified: string): AttributeType {
    const type = localName(qualified)
    const isOwn = (one: XmlElement): boolean => one.name === 'simpleType' && one.attributes['name'] === type
    const own = this.#schema.children.find(isOwn)
    if (own !== undefined) return this.#simple(own)
    return ownValue(simpleTypes, type) ?? refuse()
  }

  #simple({ children }: XmlElement): AttributeType {
    const base = children.find(({ name }) => name === 'restriction')?.attributes['base']
    if (base === undefined) return refuse()
    return ownValue(simpleTypes, localName(base)) ?? refuse()
  }
}

const groups = new Set(['complexContent', 'extension', 'restriction', 'sequence', 'all'])

function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.flatMap((child) => {
    if (child.name === 'element') return [child]
    if (groups.has(child.name)) return elementsOf(child)
    // With a choice, a group or attributes, features may have different properties.
    return child.name === 'annotation' || child.name === 'attribute' ? [] : refuse()
  })
}

/**
 * Writes a feature schema of GDAL (`.gfs`) that lists all properties, including those without a value. It
 * declares all attributes as text, since GDAL would change some numbers; Terrane's reader uses the declared
 * types.
 */
export function writeFeatureSchema(
  layer: string,
  properties: readonly FeatureProperty[],
  srsName: string | undefined,
): string {
  const name = localName(layer)
  const lines = properties.map((one) => {
    const path = one.inner === undefined ? one.name : `${one.name}|${one.inner}`
    const about = `<Name>${one.name}</Name><ElementPath>${path}</ElementPath>`
    return one.type === 'geometry'
      ? `    <GeomPropertyDefn>${about}<Type>0</Type></GeomPropertyDefn>\n`
      : `    <PropertyDefn>${about}<Type>String</Type><DeclaredType>${one.type}</DeclaredType></PropertyDefn>\n`
  })
  const geometries = lines.filter((line) => line.includes('<Geom'))
  const attributes = lines.filter((line) => !line.includes('<Geom'))
  const none = geometries.length === 0 ? '    <GeometryType>100</GeometryType>\n' : ''
  const srs = srsName === undefined ? '' : `    <SRSName>${escapeXml(plainSrsName(srsName))}</SRSName>\n`
  return `<GMLFeatureClassList>
  <GMLFeatureClass>
    <Name>${name}</Name>
    <ElementPath>${name}</ElementPath>
${geometries.join('')}${none}${srs}${attributes.join('')}  </GMLFeatureClass>
</GMLFeatureClassList>
`
}

/** GDAL does not know the identifiers of GML 2 in a feature schema. */
function plainSrsName(srsName: string): string {
  return srsName.replace(/^http:\/\/www\.opengis\.net\/gml\/srs\/epsg\.xml#(?=\d+$)/, 'EPSG:')
}
