type Node = Record<string, unknown>

const place = '#/components/schemas/'

/**
 * Returns a copy of an OpenAPI document in which each schema with a title is a component of that name,
 * referenced elsewhere: generated clients get a type of that name. Throws an `Error` if two different schemas
 * have the same title.
 */
export function nameSchemas(document: object): Node {
  const schemas = new Map<string, { text: string; schema: unknown }>()

  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isNode(value)) return value
    const name = titleOf(value)
    const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]))
    if (name === undefined) return inner
    const text = JSON.stringify(inner)
    const known = schemas.get(name)
    if (known !== undefined && known.text !== text)
      throw new Error(`Two different schemas have the title "${name}"`)
    if (known === undefined) schemas.set(name, { text, schema: inner })
    return { $ref: place + name }
  }

  const copied = copy(document) as Node
  const components = isNode(copied.components) ? copied.components : {}
  const named = [...schemas]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, one]) => [name, one.schema] as const)
  return { ...copied, components: { ...components, schemas: Object.fromEntries(named) } }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** Returns the title of a schema; other objects may have a title too. */
function titleOf(value: Node): string | undefined {
  const isSchema = typeof value.type === 'string' || Array.isArray(value.anyOf)
  return isSchema && typeof value.title === 'string' ? value.title : undefined
}
