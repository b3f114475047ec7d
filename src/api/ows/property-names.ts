import { fromXmlName } from '../../formats/writing/index.ts'
import type { Schema } from '../../geo/schema.ts'
import { OwsFailure } from './ows-failure.ts'

/** Names that stored links use for the geometry, as in GeoServer, whatever its name here. */
const geometryNames = new Set(['the_geom', 'geom', 'geometry'])

/** Finds the property of a name: exact, with a prefix or path, or in its XML form. */
export function findProperty({ attributes, geometry }: Schema, text: string): string | undefined {
  const names = new Set([
    ...attributes.map(({ name }) => name),
    ...(geometry === undefined ? [] : [geometry.name]),
  ])
  const last = text.split('/').at(-1) ?? ''
  const plain = last.slice(last.lastIndexOf(':') + 1)
  const found = [text, fromXmlName(text), plain, fromXmlName(plain)].find((one) => names.has(one))
  return found ?? (geometryNames.has(plain) ? geometry?.name : undefined)
}

/**
 * True if the name is a GML property that every feature has, and for which no feature here has a value (OGC
 * 07-036, section 9.4).
 */
export function isUnusedGml(text: string): boolean {
  return /^(?:.*\/)?gml:(?:name|description|descriptionReference|identifier|boundedBy|location|metaDataProperty)$/.test(
    text,
  )
}

/** The same as `findProperty`; throws `OwsFailure` (`InvalidParameterValue`) for what the type has not. */
export function requireProperty(schema: Schema, text: string, locator: string): string {
  const found = findProperty(schema, text)
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `There is no property "${text.slice(0, 200)}": DescribeFeatureType lists them`,
    locator,
  )
}
