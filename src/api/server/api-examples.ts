import { ownValue } from '../../core/values/record-keys.ts'
import { exampleOf, parameterExample } from './example-values.ts'
import { requestExamples } from './request-examples.ts'

type Node = Record<string, unknown>

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options']

/**
 * Adds examples to each operation of an OpenAPI document: a curl call (`x-codeSamples`), its JSON body, and
 * the JSON response.
 */
export function addExamples(document: Node): Node {
  const resolve = (ref: string): unknown =>
    ref
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => asNode(node)[key], document)
  for (const [path, item] of Object.entries(asNode(document.paths)))
    for (const [method, operation] of Object.entries(asNode(item)))
      if (methods.includes(method)) addTo(asNode(operation), { path, method, resolve })
  return document
}

interface Location {
  path: string
  method: string
  resolve(ref: string): unknown
}

function addTo(operation: Node, place: Location): void {
  const { resolve } = place
  const body = asNode(asNode(operation.requestBody).content)
  for (const [type, content] of Object.entries(body)) {
    if (!isJson(type)) continue
    const written = ownValue(requestExamples, String(operation.operationId))
    asNode(content).example = written ?? exampleOf(asNode(content).schema, resolve)
  }
  for (const [status, response] of Object.entries(asNode(operation.responses)))
    for (const [type, content] of Object.entries(asNode(asNode(response).content)))
      if (/^2/.test(status) && isJson(type))
        asNode(content).example = exampleOf(asNode(content).schema, resolve)
  operation['x-codeSamples'] = [{ lang: 'Shell', source: curlOf(operation, place) }]
}

function isJson(type: string): boolean {
  return /\bjson$/.test(type.split(';', 1)[0] ?? '')
}

/** Writes the curl command. */
function curlOf(operation: Node, { path, method }: Location): string {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.map(asNode) : []
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map(({ name }) => `${String(name)}=${parameterExample(String(name))}`)
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => parameterExample(name))
  const address = `http://127.0.0.1:8080${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  const parts = [
    'curl',
    ...(isPublic ? [] : ['-u admin:$PASSWORD']),
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...bodyOf(operation),
    `'${address}'`,
  ]
  return parts.join(' ')
}

function bodyOf({ requestBody }: Node): string[] {
  const [[type, content] = []] = Object.entries(asNode(asNode(requestBody).content))
  if (type === undefined) return []
  const { example } = asNode(content)
  if (type === 'multipart/form-data') return ['-F filedata=@countries.geojson']
  const data = example === undefined ? '--data-binary @body' : `-d '${JSON.stringify(example)}'`
  return [`-H 'Content-Type: ${type}'`, data]
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}
