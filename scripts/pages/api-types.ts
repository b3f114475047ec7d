/** Part of an OpenAPI document, with the fields that the generated types need. */
interface Shape {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: boolean | Shape
}

interface Media {
  content?: Record<string, { schema?: Shape }>
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Shape }[]
  requestBody?: Media
  responses?: Record<string, Media>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Shape> }
}

const head = `// Made from the OpenAPI document by \`npm run docs\`: what the pages may ask of the server, and what it answers.
`

/** The types of every call, as a source text. */
export function apiTypes({ paths, components = {} }: OpenApi): string {
  const named = Object.entries(components.schemas ?? {}).map(
    ([name, shape]) => `  ${key(name)}: ${typeOf(shape)}`,
  )
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) => `  ${key(`${method.toUpperCase()} ${path}`)}: ${callOf(operation)}`,
    ),
  )
  return `${head}
interface Named {
${named.join('\n')}
}

export interface Calls {
${calls.join('\n')}
}
`
}

function callOf({ parameters = [], requestBody, responses = {} }: Operation): string {
  const group = (place: string): string => {
    const fields = parameters
      .filter((one) => one.in === place)
      .map(({ name, required, schema = {} }) => field(name, schema, required === true))
    return fields.length === 0 ? 'Record<never, never>' : `{ ${fields.join('; ')} }`
  }
  const answer = Object.entries(responses).find(([status]) => /^2/.test(status))?.[1]
  const parts = [
    `params: ${group('path')}`,
    `query: ${group('query')}`,
    `body: ${jsonOf(requestBody)}`,
    `answer: ${jsonOf(answer)}`,
  ]
  return `{ ${parts.join('; ')} }`
}

function jsonOf(media: Media | undefined): string {
  const schema = media?.content?.['application/json']?.schema
  return schema === undefined ? 'undefined' : typeOf(schema)
}

function typeOf(shape: Shape): string {
  if (shape.$ref !== undefined) return `Named[${JSON.stringify(shape.$ref.split('/').at(-1))}]`
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum !== undefined) return shape.enum.map((one) => JSON.stringify(one)).join(' | ')
  const either = shape.anyOf ?? shape.oneOf
  if (either !== undefined) return either.length === 0 ? 'unknown' : `(${either.map(typeOf).join(' | ')})`
  if (shape.allOf !== undefined) return shape.allOf.map(typeOf).join(' & ')
  const types = Array.isArray(shape.type) ? shape.type : [shape.type ?? (shape.properties && 'object')]
  return types.map((type) => plainType(type, shape)).join(' | ')
}

function plainType(type: string | undefined, shape: Shape): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `(${typeOf(shape.items ?? {})})[]`
  return type === 'object' ? objectType(shape) : 'unknown'
}

function objectType({ properties = {}, required = [], additionalProperties }: Shape): string {
  const fields = Object.entries(properties).map(([name, one]) => field(name, one, required.includes(name)))
  const isOpen = typeof additionalProperties === 'object'
  if (fields.length === 0) return `Record<string, ${isOpen ? typeOf(additionalProperties) : 'unknown'}>`
  return `{ ${fields.join('; ')} }`
}

function field(name: string, shape: Shape, isRequired: boolean): string {
  return `${key(name)}${isRequired ? '' : '?'}: ${typeOf(shape)}`
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}
