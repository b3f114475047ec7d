import type { LayerRecord } from '../../../../catalog/index.ts'
import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { gmlNamespaces } from '../../../../formats/writing/index.ts'
import { readCrs } from '../../named-crs.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { requireProperty } from '../../property-names.ts'
import { usualCrsOf } from '../layer-query.ts'
import type { WfsVersion } from '../wfs-version.ts'
import type { WrittenGeometry } from './gml-geometry.ts'
import { isGmlGeometry, readGmlGeometry, srsNameOf } from './gml-geometry.ts'
import { propertyJson } from './property-json.ts'
import type { PlacedElement } from './transaction-request.ts'
import { declaredNamespace } from './transaction-request.ts'

/** A feature, or a change of it, as the editor of features takes it. */
export interface FeatureBody {
  /** GeoJSON; for a change a JSON Merge Patch. */
  body: Uint8Array
  written: { srs: string; isYx: boolean }
}

/** Parts of a request that determine how its features are read. */
export interface WrittenScope {
  /** CRS of geometries that name none. */
  srsName: string | undefined
  version: WfsVersion
}

/** A value of a property. */
interface WrittenProperty {
  name: string
  /** The element with the value; undefined: null. */
  value: XmlElement | undefined
}

/** Returns the feature of an Insert or Replace. Throws `OwsFailure`, and `Failure` for geometries. */
export function featureBody(
  layer: LayerRecord,
  { element, ancestors }: PlacedElement,
  { srsName, version }: WrittenScope,
): FeatureBody {
  const places = [element, ...ancestors]
  const own = declaredNamespace(element.prefix, places)
  const properties: WrittenProperty[] = []
  for (const child of element.children) {
    const namespace = declaredNamespace(child.prefix, [child, ...places])
    if (isGml(namespace) && child.name === 'boundedBy') continue
    if (namespace !== own && namespace !== undefined && own !== undefined)
      throw unknownProperty(layer, child, `its namespace is "${namespace.slice(0, 200)}"`)
    const name = requireProperty(layer.details.schema, child.name, child.name.slice(0, 100))
    properties.push({ name, value: isNil(child) ? undefined : child })
  }
  return toBody(layer, properties, { srsName, version, isWhole: true })
}

/** Returns the changes of an Update. Throws like `featureBody`. */
export function patchBody(
  layer: LayerRecord,
  update: XmlElement,
  { srsName, version }: WrittenScope,
): FeatureBody {
  const properties = update.children
    .filter(({ name }) => name === 'Property')
    .map((property) => readProperty(layer, property))
  if (properties.length === 0)
    throw new OwsFailure(
      'MissingParameterValue',
      'An Update has no Property',
      update.attributes['handle'] ?? 'Property',
    )
  return toBody(layer, properties, { srsName, version, isWhole: false })
}

function readProperty(layer: LayerRecord, { children }: XmlElement): WrittenProperty {
  const reference = children.find(({ name }) => name === 'ValueReference' || name === 'Name')
  const text = reference?.text.trim() ?? ''
  if (reference === undefined || text === '')
    throw new OwsFailure('MissingParameterValue', 'A Property names no property', 'ValueReference')
  const name = requireProperty(layer.details.schema, text, text.slice(0, 100))
  const action = reference.attributes['action'] ?? 'replace'
  if (action === 'remove') return { name, value: undefined }
  if (action !== 'replace')
    throw new OwsFailure(
      'InvalidParameterValue',
      `action "${action.slice(0, 60)}" is not possible: a property has one value, which "replace" or "remove" changes`,
      'action',
    )
  const value = children.find((one) => one.name === 'Value')
  return { name, value: value === undefined || isNil(value) ? undefined : value }
}

function isGml(namespace: string | undefined): boolean {
  return namespace !== undefined && Object.values(gmlNamespaces).includes(namespace)
}

function isNil({ attributes }: XmlElement): boolean {
  return /^(?:true|1)$/.test(attributes['nil'] ?? '')
}

function unknownProperty({ name }: LayerRecord, { name: property }: XmlElement, why: string): OwsFailure {
  const shown = property.slice(0, 100)
  return new OwsFailure('InvalidParameterValue', `"${shown}" is no property of "${name}": ${why}`, shown)
}

function toBody(
  layer: LayerRecord,
  properties: readonly WrittenProperty[],
  { srsName, version, isWhole }: WrittenScope & { isWhole: boolean },
): FeatureBody {
  const { schema } = layer.details
  const named = new Set<string>()
  const members: string[] = []
  let geometry: string | undefined = isWhole ? 'null' : undefined
  let geometrySrs: string | undefined
  for (const { name, value } of properties) {
    if (named.has(name))
      throw new OwsFailure('InvalidParameterValue', `The property "${name}" is given twice`, name)
    named.add(name)
    if (name === schema.geometry?.name) {
      const read = value === undefined ? undefined : geometryOf(value, name)
      geometry = read === undefined ? 'null' : geometryJson(read.geometry, isWhole)
      geometrySrs = read?.srsName
    } else members.push(`${JSON.stringify(name)}:${valueJson(layer, name, value)}`)
  }
  const shown = geometry === undefined ? '' : `,"geometry":${geometry}`
  const text = `{"type":"Feature","properties":{${members.join(',')}}${shown}}`
  return {
    body: new TextEncoder().encode(text),
    written: crsOf(layer, { srsName: geometrySrs ?? srsName, version }),
  }
}

function crsOf(layer: LayerRecord, { srsName, version }: WrittenScope): FeatureBody['written'] {
  const crs = srsName === undefined ? usualCrsOf(layer, version) : readCrs(srsName, 'srsName')
  return crs === undefined ? { srs: 'EPSG:4326', isYx: false } : { srs: crs.srs, isYx: crs.isYx }
}

function valueJson(
  { details: { schema } }: LayerRecord,
  name: string,
  value: XmlElement | undefined,
): string {
  const type = schema.attributes.find((attribute) => attribute.name === name)?.type ?? 'text'
  if (value === undefined) return 'null'
  const [inner] = value.children
  if (inner !== undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `The property "${name}" has a text, and no element "${inner.name.slice(0, 100)}"`,
      name,
    )
  return propertyJson(type, value.text)
}

/** An empty element is no geometry. */
function geometryOf(
  property: XmlElement,
  name: string,
): { geometry: WrittenGeometry; srsName: string | undefined } | undefined {
  const [element, ...others] = property.children
  if (element === undefined && property.text.trim() === '') return undefined
  if (element === undefined || others.length > 0 || !isGmlGeometry(element))
    throw new OwsFailure(
      'InvalidParameterValue',
      `The property "${name}" has one geometry of GML, and not ${element === undefined ? 'a text' : `"${element.name.slice(0, 100)}"`}`,
      name,
    )
  return { geometry: readGmlGeometry(element), srsName: srsNameOf(element) }
}

/** A patch removes the members that another type of geometry has. */
function geometryJson(geometry: WrittenGeometry, isWhole: boolean): string {
  if (isWhole) return JSON.stringify(geometry)
  const none = 'coordinates' in geometry ? { geometries: null } : { coordinates: null }
  return JSON.stringify({ ...none, ...geometry })
}
