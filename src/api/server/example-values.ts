import { ownValue } from '../../core/values/record-keys.ts'

type Node = Record<string, unknown>

/** Example values of properties and parameters by name, for schemas without one. */
const byName: Record<string, unknown> = {
  name: 'countries',
  title: 'Countries',
  abstract: 'Countries of the world',
  workspace: 'default',
  layer: 'default:countries',
  layers: 'default:countries',
  collectionId: 'default:countries',

  store: 'default',
  style: 'polygon',
  styleId: 'polygon',
  featureId: '1',
  recordId: 'default:countries',
  itemId: 'default:heights.3',
  collections: 'default:countries',

  importId: '3',
  taskId: '0',
  fileId: 'countries.geojson',
  transformId: '0',
  fileName: 'countries.geojson',
  id: '1',
  version: '2',
  job: '41',
  upload: '0123456789abcdef0123456789abcdef',
  metric: 'request.count',

  tileMatrixSetId: 'WebMercatorQuad',
  tileMatrixSet: 'EPSG:3857',
  tileMatrix: '4',
  z: '4',
  x: '8',
  y: '5',
  i: '128',
  j: '128',
  tileCol: '8',
  tileRow: '5',
  bbox: '5,47,15,55',
  srs: 'EPSG:4326',
  crs: 'EPSG:4326',
  attribute: 'name',
  user: 'editor',
  role: 'staff',
  email: 'editor@example.org',
  url: 'https://maps.example.org',
  host: 'maps.example.org',
  ip: '192.0.2.1',
  message: 'Done',
  created: '2026-11-01T08:00:00.000Z',
  changed: '2026-11-01T08:00:00.000Z',
  file: 'countries.geojson',
  location: 'monday',
  code: 'unknown-layer',
  format: 'GeoJSON',
  service: 'app',
  severity: 'warning',
  dateCreated: '2026-11-01T08:00:00.000Z',
  dateModified: '2026-11-01T08:00:00.000Z',
  type: 'vector',
}

/** Returns the example value of a parameter. */
export function parameterExample(name: string): string {
  return String(ownValue(byName, name) ?? name)
}

const deepest = 12

/**
 * Returns a value that a schema allows: from the schema (`const`, `default`, `examples`, `enum`), otherwise a
 * typical value of a property with that name. Optional properties are omitted below the second level, so that
 * examples stay short.
 */
export function exampleOf(schema: unknown, resolve: (ref: string) => unknown, name = '', depth = 0): unknown {
  const node = asNode(schema)
  if (typeof node.$ref === 'string') return exampleOf(resolve(node.$ref), resolve, name, depth)
  if ('const' in node) return node.const
  if ('default' in node) return node.default
  if (Array.isArray(node.examples)) return node.examples[0]
  if (Array.isArray(node.enum)) return node.enum[0]
  const choices = [node.anyOf, node.oneOf].find(Array.isArray)
  if (choices !== undefined) return exampleOf(preferred(choices), resolve, name, depth)
  if (Array.isArray(node.allOf)) {
    const parts = node.allOf.map((one) => asNode(exampleOf(one, resolve, name, depth)))
    return Object.assign({}, ...parts)
  }
  return ofType(node, resolve, name, depth)
}

/** The first of several schemas that is not null. */
function preferred(choices: unknown[]): unknown {
  return choices.find((one) => asNode(one).type !== 'null') ?? choices[0]
}

function ofType(node: Node, resolve: (ref: string) => unknown, name: string, depth: number): unknown {
  const type = Array.isArray(node.type) ? node.type[0] : node.type
  switch (type) {
    case 'object':
      return objectExample(node, resolve, depth)
    case 'array':
      return arrayExample(node, resolve, name, depth)
    case 'integer':
    case 'number':
      return numberExample(node)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return textExample(node, name)
    default:
      return node.properties === undefined ? {} : objectExample(node, resolve, depth)
  }
}

function objectExample(node: Node, resolve: (ref: string) => unknown, depth: number): Node {
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  const entries = Object.entries(asNode(node.properties)).filter(
    ([name, one]) => required.has(name) || (depth < 2 && isPlain(one)),
  )
  if (depth > deepest) return {}
  return Object.fromEntries(entries.map(([name, one]) => [name, exampleOf(one, resolve, name, depth + 1)]))
}

/** True for optional properties that are short. */
function isPlain(schema: unknown): boolean {
  const { type, pattern } = asNode(schema)
  return pattern === undefined && ['string', 'integer', 'number', 'boolean'].includes(String(type))
}

function arrayExample(node: Node, resolve: (ref: string) => unknown, name: string, depth: number): unknown[] {
  const least = typeof node.minItems === 'number' ? node.minItems : 1
  if (depth > deepest) return []
  const item = exampleOf(node.items, resolve, name.replace(/s$/, ''), depth + 1)
  return Array.from({ length: least }, () => item)
}

function numberExample({ minimum, maximum }: Node): number {
  const least = typeof minimum === 'number' ? minimum : 1
  return typeof maximum === 'number' ? Math.min(Math.max(least, 1), maximum) : Math.max(least, 1)
}

function textExample({ format, minLength, maxLength }: Node, name: string): string {
  if (format === 'date-time') return '2026-11-01T08:00:00Z'
  if (format === 'date') return '2026-11-01'
  if (format === 'uri' || name === 'href') return 'https://maps.example.org/rest/layers/default:countries'
  const text = String(ownValue(byName, name) ?? (name === '' ? 'text' : name))
  const long = text.padEnd(typeof minLength === 'number' ? minLength : 0, '-')
  return typeof maxLength === 'number' ? long.slice(0, maxLength) : long
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}
