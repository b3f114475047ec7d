import type { Step } from './request.ts'

interface Parameter {
  in: string
  name: string
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: unknown
}

export interface Description {
  paths: Record<string, Record<string, Operation>>
}

/** Values for a path parameter: an existing name, a missing one, and an unusual one. */
const names: Record<string, string[]> = {
  importId: ['0', '4', '23', '99999', 'x'],
  taskId: ['0', '1', '99', 'x'],
  transformId: ['0', '9', 'x'],
  fileName: ['RGB.byte.tif', 'none.csv'],
  fileId: ['valid.csv', 'rgb2.tif', 'none'],
  workspace: ['atlas', 'none', 'default'],
  store: ['file', 'pg', 'none'],
  layer: ['atlas:countries', 'countries', 'atlas:none', ':'],
  collectionId: ['atlas:countries', 'atlas:labels_pg', 'atlas:mosaic', 'none'],
  featureId: ['1', 'none'],
  style: ['point', 'own', 'none'],
  name: ['reader', 'none'],
  id: ['1', '2', '99', 'x'],
  metric: ['request.count', 'none'],
}
const texts = [
  '',
  '1',
  '-1',
  '0',
  'x',
  'true',
  '2020-01-01',
  '2020-01-01T00:00:00Z/..',
  '1,2,3,4',
  'a%20b',
  '1e400',
]
const bodies = ['', '{', '[]', '{}', 'null', '"x"', '{"other":1}']
const changing = ['post', 'put']

/** Requests for every operation of a description: each place, parameter and person, and bodies that are wrong. */
export function everyOperation({ paths }: Description): Step[] {
  const steps: Step[] = []
  for (const [path, operations] of Object.entries(paths)) {
    const [right = path, ...wrong] = fillPath(path)
    for (const [name, operation] of Object.entries(operations)) {
      const method = name.toUpperCase()
      if (method === 'DELETE') {
        steps.push(...wrong.slice(-2).map((one) => ({ method, path: one })), {
          method,
          path: right,
          as: 'reader',
        })
        continue
      }
      steps.push(...asOthers(method, right))
      if (changing.includes(name)) steps.push(...withBodies(method, [right, ...wrong]))
      else
        steps.push(
          ...[right, ...wrong].map((one) => ({ method, path: one })),
          ...withQueries(method, right, operation),
        )
    }
    for (const method of ['PATCH', 'OPTIONS', 'HEAD']) steps.push({ method, path: right })
  }
  return steps
}

/** The path with everything that is there first; then with each place filled in another way. */
function fillPath(path: string): string[] {
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const usual = (but?: string, text = ''): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === but ? text : (names[name]?.[0] ?? '1')),
    )
  return [
    usual(),
    ...places.flatMap((name) => (names[name] ?? ['1', 'none']).slice(1).map((text) => usual(name, text))),
  ]
}

function asOthers(method: string, path: string): Step[] {
  const body = method === 'GET' ? {} : { body: '{' }
  return (['nobody', 'reader', 'editor'] as const).map((as) => ({ method, path, as, ...body }))
}

function withBodies(method: string, paths: string[]): Step[] {
  const [right = ''] = paths
  return [
    ...paths.map((path): Step => ({ method, path, body: '{' })),
    ...bodies.map((body): Step => ({ method, path: right, body })),
    { method, path: right },
    { method, path: right, body: '<a/>', headers: { 'content-type': 'text/xml' } },
    { method, path: right, body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ]
}

function withQueries(method: string, path: string, { parameters = [] }: Operation): Step[] {
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }) => texts.map((text) => `${name}=${text}`))
  return [...queries, 'other=1', 'f=json', 'f=html'].map((query) => ({ method, path: `${path}?${query}` }))
}
