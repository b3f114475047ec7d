import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { StyleFormat } from '../../../styles/index.ts'
import { maxStyleBytes } from '../../../styles/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { documentTypes, formatOfType } from '../../rest/catalog/style-documents.ts'
import type { OgcDeps } from '../ogc-deps.ts'
import { ogcStylePath, parseStyleId, readableStyle, requireStyleManager } from './readable-styles.ts'
import { DeleteStyleQuery, NewStyleQuery, StyleParams } from './schemas.ts'

type StyleDeps = Pick<OgcDeps, 'catalog'>

const marks = { tags: ['styles'], bodyLimit: () => maxStyleBytes }
const consumes = documentTypes

/** Reads a document of a style; its media type names the language. */
function readDocument({ body, headers }: FastifyRequest): { format: StyleFormat; document: string } {
  const type = headers['content-type'] ?? ''
  const format = /^application\/json\b/i.test(type) ? 'maplibre' : formatOfType(type)
  if (format === undefined)
    throw new Failure(
      'mediaType',
      'unsupported-media-type',
      `A body of type "${type.slice(0, 100)}" is not accepted, only ${documentTypes.join(', ')}`,
    )
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw invalid('invalid-style', 'The body is empty: send the document of the style')
  return { format, document: body.toString('utf8') }
}

export const createOgcStyle = operation({
  ...marks,
  consumes,
  summary: 'Create a style (draft of OGC API Styles)',
  description: 'Stores an SLD, MapLibre or QML document, by its `Content-Type`, under the given id.',
  query: NewStyleQuery,
  answers: { 201: empty('The header `Location` has the address of the style') },
  handle: async ({ catalog }: StyleDeps, request, reply) => {
    const { id } = request.query
    const name = parseStyleId(id ?? '')
    await requireStyleManager(request, name)
    if (id === undefined || name.name === '')
      throw invalid('invalid-parameter', 'A new style needs an id: ?id=<name>, or ?id=<workspace>:<name>')
    const style = await catalog.styles.create({ ...name, content: readDocument(request) })
    request.usedStyle = style
    return reply
      .code(201)
      .header('location', request.link(ogcStylePath(style)))
      .send()
  },
})

export const replaceOgcStyle = operation({
  ...marks,
  consumes,
  summary: 'Replace a style, or create it (draft of OGC API Styles)',
  description: 'Layers with this style change at once and get a new version.',
  params: StyleParams,
  answers: { 201: empty('The style was created'), 204: empty('The style was replaced') },
  handle: async ({ catalog }: StyleDeps, request, reply) => {
    const name = parseStyleId(request.params.styleId)
    await requireStyleManager(request, name)
    const content = readDocument(request)
    const known = await catalog.styles.find(name.workspace, name.name)
    const style =
      known === undefined
        ? await catalog.styles.create({ ...name, content })
        : await catalog.styles.change(known, content)
    request.usedStyle = style
    if (known !== undefined) return reply.code(204).send()
    return reply
      .code(201)
      .header('location', request.link(ogcStylePath(style)))
      .send()
  },
})

export const deleteOgcStyle = operation({
  ...marks,
  summary: 'Delete a style (draft of OGC API Styles)',
  description:
    'A style that draws no layer is deleted. With `recurse=true` its layers are drawn by default styles from then on.',
  params: StyleParams,
  query: DeleteStyleQuery,
  answers: { 204: empty() },
  handle: async ({ catalog }: StyleDeps, request, reply) => {
    await requireStyleManager(request, parseStyleId(request.params.styleId))
    const style = await readableStyle(catalog, request, request.params.styleId)
    await catalog.styles.delete(style, { recurse: request.query.recurse ?? false })
    return reply.code(204).send()
  },
})
