import { invalid } from '../../core/errors/errors.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { PropertySelection, SortKey } from '../../stores/index.ts'

const maxSortKeys = 8
const maxNames = 2000

/** Query parameters that name properties, as text. */
export interface NamingParameters {
  sortby?: string
  properties?: string
  'exclude-properties'?: string
}

/**
 * Splits names at commas; a name that contains commas or begins with a sign is in double quotes, as in CQL2.
 */
function parseNames(parameter: string, text: string): string[] {
  const names = text.match(/"(?:[^"]|"")*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? ['']
  const isWhole = names.join(',') === text && !names.includes('')
  if (isWhole && names.length <= maxNames) return names.map(unquoted)
  throw invalid(
    'invalid-parameter',
    `${parameter} "${text.slice(0, 200)}" is not a list of at most ${maxNames} names separated by commas`,
  )
}

function unquoted(name: string): string {
  return /^".*"$/s.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name
}

/** True if rows can be sorted by an attribute. */
export function isSortable({ type }: Attribute): boolean {
  return type !== 'binary'
}

/** `sortby`: names with `-` before those whose largest value comes first; a `+` in an address is a space. */
export function readSort({ sortby }: NamingParameters, { attributes }: Schema): SortKey[] {
  if (sortby === undefined) return []
  const keys = parseSigned(sortby)
  if (keys.length > maxSortKeys)
    throw invalid('invalid-parameter', `sortby has more than ${maxSortKeys} names`)
  const seen = new Set<string>()
  for (const { attribute } of keys) {
    const found = attributes.find(({ name }) => name === attribute)
    if (found === undefined || !isSortable(found))
      throw invalid(
        'unknown-property',
        `sortby names "${attribute.slice(0, 200)}", which is none of the sortables of the collection`,
      )
    if (seen.has(attribute))
      throw invalid('invalid-parameter', `sortby names "${attribute.slice(0, 200)}" twice`)
    seen.add(attribute)
  }
  return keys
}

function parseSigned(text: string): SortKey[] {
  const parts = text.match(/[-+ ]?(?:"(?:[^"]|"")*"|[^,]+)/g) ?? []
  if (parts.length === 0 || parts.join(',') !== text)
    throw invalid(
      'invalid-parameter',
      `sortby "${text.slice(0, 200)}" is not a list of names separated by commas`,
    )
  return parts.map((part) => ({
    attribute: unquoted(part.replace(/^[-+ ]/, '')),
    isDescending: part.startsWith('-'),
  }))
}

/** Reads `properties` or `exclude-properties`; the geometry may be included, by its name or as `geometry`. */
export function readSelection(parameters: NamingParameters, schema: Schema): PropertySelection | undefined {
  const { properties, 'exclude-properties': excluded } = parameters
  if (properties === undefined && excluded === undefined) return undefined
  if (properties !== undefined && excluded !== undefined)
    throw invalid('invalid-parameter', 'Only one of properties and exclude-properties can be given')
  const parameter = properties === undefined ? 'exclude-properties' : 'properties'
  const names = new Set(parseNames(parameter, properties ?? excluded ?? ''))
  requireKnown(parameter, names, schema)
  const isChosen = (name: string): boolean => names.has(name) === (properties !== undefined)
  const own = schema.geometry?.name ?? 'geometry'
  const isAttribute = schema.attributes.some(({ name }) => name === 'geometry')
  const isNamed = names.has(own) || (!isAttribute && names.has('geometry'))
  return {
    attributes: schema.attributes.map(({ name }) => name).filter(isChosen),
    hasGeometry: isNamed === (properties !== undefined),
  }
}

function requireKnown(parameter: string, names: ReadonlySet<string>, { attributes, geometry }: Schema): void {
  const known = new Set([...attributes.map(({ name }) => name), 'geometry', geometry?.name ?? 'geometry'])
  const unknown = [...names].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const message = (name: string): string =>
    `${parameter} names "${name.slice(0, 200)}", which is not a property of the collection`
  throw invalid('unknown-property', message(unknown[0] ?? ''), { errors: unknown.slice(0, 20).map(message) })
}
