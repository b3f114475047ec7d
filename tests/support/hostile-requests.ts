/** Part of a JSON schema, as OpenAPI 3.1 has it. */
export interface SchemaNode {
  type?: string
  properties?: Record<string, SchemaNode>
  required?: string[]
  items?: SchemaNode
  anyOf?: SchemaNode[]
  enum?: unknown[]
  const?: unknown
}

interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content?: Record<string, { schema?: SchemaNode }> }
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

export interface HostileRequest {
  method: string
  url: string
  type?: string
  body?: string
  /** Description of the fault, for people. */
  what: string
}

/** Names that every object inherits, and texts that break code that does not expect them. */
export const hostileTexts = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  '\ud800',
  `${'long'.repeat(2000)}`,
]
const wrongTypes: readonly unknown[] = [0, -1, 1e300, true, [], {}, [[]], { constructor: 1, toString: 'x' }]

/** Values of the path parameters that are not under test. */
const usualNames = new Map([
  ['importId', '0'],
  ['taskId', '0'],
  ['transformId', '0'],
  ['workspace', 'default'],
  ['store', 'default'],
  ['layer', 'default:places'],
  ['collectionId', 'default:places'],
  ['style', 'point'],
  ['fileId', 'places.csv'],
])

/** Percent-encoded; a lone surrogate as the three bytes that it would have. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

function pathOf(template: string, chosen: Map<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(chosen.get(name) ?? usualNames.get(name) ?? '1'),
  )
}

function sampleOf(schema: SchemaNode): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const choice = schema.anyOf?.[0]
  if (choice !== undefined) return sampleOf(choice)
  if (schema.type === 'object') return withRequired(schema, undefined, undefined)
  if (schema.type === 'array') return []
  if (schema.type === 'integer' || schema.type === 'number') return 1
  return schema.type === 'boolean' ? false : 'x'
}

/** Returns an object with the required members and one more member. */
function withRequired(schema: SchemaNode, name: string | undefined, value: unknown): Record<string, unknown> {
  const { required = [], properties = {} } = schema
  const members = required.map((one): [string, unknown] => [one, sampleOf(properties[one] ?? {})])
  return Object.fromEntries(name === undefined ? members : [...members, [name, value]])
}

/** Generates bodies with one wrong value each and otherwise only the required members. */
function* bodiesOf(schema: SchemaNode, texts: readonly string[], isQuick: boolean): Generator<unknown> {
  for (const choice of schema.anyOf ?? []) yield* bodiesOf(choice, texts, isQuick)
  if (schema.type === 'string' || schema.type === undefined) yield* texts
  if (!isQuick) yield* wrongTypes
  if (schema.items !== undefined) for (const item of bodiesOf(schema.items, texts, isQuick)) yield [item]
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    for (const value of bodiesOf(member, texts, isQuick)) yield withRequired(schema, name, value)
  if (schema.type === 'object') for (const text of texts) yield withRequired(schema, text, 'x')
}

function* bodyRequests(
  method: string,
  template: string,
  operation: Operation,
  texts: readonly string[],
  isQuick: boolean,
): Generator<HostileRequest> {
  const url = pathOf(template, new Map())
  for (const [type, { schema = {} }] of Object.entries(operation.requestBody?.content ?? {})) {
    for (const value of bodiesOf(schema, texts, isQuick)) {
      const body = JSON.stringify(value)
      yield { method, url, type: 'application/json', body, what: body.slice(0, 200) }
      if (type.includes('urlencoded') && typeof value === 'object' && value !== null) {
        const form = new URLSearchParams(
          Object.entries(value).map(([key, one]): [string, string] => [
            key.toWellFormed(),
            JSON.stringify(one).toWellFormed(),
          ]),
        ).toString()
        yield { method, url, type: 'application/x-www-form-urlencoded', body: form, what: form.slice(0, 200) }
      }
    }
  }
}

/** Generates requests to an operation with one unexpected parameter or one unexpected part of the body. */
function* requestsOf(
  method: string,
  template: string,
  operation: Operation,
  texts: readonly string[],
  isQuick: boolean,
): Generator<HostileRequest> {
  for (const { in: place, name } of operation.parameters ?? []) {
    for (const text of texts) {
      const what = `${place} ${name}=${JSON.stringify(text.slice(0, 40))}`
      const url = pathOf(template, place === 'path' ? new Map([[name, text]]) : new Map())
      if (place === 'path') yield { method, url, what }
      if (place === 'query' && method !== 'delete') {
        yield { method, url: `${url}?${name}=${encode(text)}`, what }
        yield { method, url: `${url}?${encode(text)}=${name}`, what: `query ${text.slice(0, 40)}=` }
      }
    }
  }
  yield* bodyRequests(method, template, operation, texts, isQuick)
}

/** Generates requests to every operation of the document, with every text in every place for a text. */
export function* hostileRequests(
  { paths }: OpenApi,
  options: { texts?: readonly string[]; isQuick?: boolean; leftOut: readonly string[] },
): Generator<HostileRequest> {
  const { texts = hostileTexts, isQuick = false, leftOut } = options
  for (const [template, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (leftOut.includes(`${method} ${template}`)) continue
      yield* requestsOf(method, template, operation, texts, isQuick)
    }
  }
}
