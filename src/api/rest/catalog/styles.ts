import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Catalog, StyleRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { RecurseQuery, stylePath } from './paths.ts'
import {
  acceptedFormats,
  documentTypes,
  formatOfName,
  plainStyleName,
  sendStyleDocument,
} from './style-documents.ts'
import {
  readStyleBody,
  StyleBody,
  StyleList,
  StyleOrDocument,
  StyleReply,
  toKeptStyleResponse,
  toStyleResponse,
} from './style-response.ts'

const tags = ['styles']
const params = Type.Object({ style: Type.String({ description: 'Name of a style' }) })
const StyleNameQuery = Type.Object({
  name: Type.Optional(Type.String({ description: 'Name of the style where the body is its document' })),
})
/** JSON that describes a style, or its document. */
const consumes = ['application/json', ...documentTypes]

/** Descriptions of the operations on styles, both global ones and those of a workspace. */
export const styleDescriptions = {
  list: {
    summary: 'List styles',
    description: 'Names and links of the global styles, or of those of a workspace.',
    tags,
    answers: { 200: StyleList },
  },
  create: {
    summary: 'Create a style',
    tags,
    idempotent: true,
    consumes,
    description:
      'A document in SLD, QML or MapLibre, in JSON or as the body itself. `messages` lists the parts that are not drawn.',
    query: StyleNameQuery,
    body: StyleBody,
    answers: { 201: StyleReply },
  },
  show: {
    summary: 'Show one style, or get its document by Accept',
    description:
      'JSON about the style. `Accept` or the extension of the name (`.sld`, `.qml`) selects the document, converted if it is stored in another format.',
    tags,
    answers: { 200: StyleOrDocument },
  },
  change: {
    summary: 'Change a style',
    description:
      'Replaces the document of the style. Layers with this style change at once and get a new version.',
    tags,
    consumes,
    body: StyleBody,
    answers: { 200: StyleReply },
  },
  delete: {
    summary: 'Delete a style',
    description:
      'A style that draws no layer is deleted. With `?recurse=true` its layers are drawn by default styles from then on.',
    tags,
    query: RecurseQuery,
    answers: { 200: empty() },
  },
}

export const listStyles = operation({
  ...styleDescriptions.list,
  handle: ({ catalog }: CatalogDeps, request) => listStylesIn(catalog, request, undefined),
})

export const createStyle = operation({
  ...styleDescriptions.create,
  handle: ({ catalog }: CatalogDeps, request, reply) => createStyleIn(catalog, request, reply, undefined),
})

export const showStyle = operation({
  ...styleDescriptions.show,
  params,
  handle: ({ catalog }: CatalogDeps, request, reply) =>
    sendStyle(catalog, request, reply, { workspace: undefined, name: request.params.style }),
})

export const changeStyle = operation({
  ...styleDescriptions.change,
  params,
  handle: ({ catalog }: CatalogDeps, request) =>
    changeNamed(catalog, request, { workspace: undefined, name: request.params.style }),
})

export const deleteStyle = operation({
  ...styleDescriptions.delete,
  params,
  handle: ({ catalog }: CatalogDeps, request, reply) =>
    deleteNamed(catalog, request, reply, { workspace: undefined, name: request.params.style }),
})

/** A style by its workspace (undefined for global styles) and name. */
interface StylePlace {
  workspace: string | undefined
  name: string
}

export async function listStylesIn(catalog: Catalog, request: FastifyRequest, workspace: string | undefined) {
  const styles = await catalog.styles.list(workspace)
  return { styles: { style: styles.map((one) => ({ name: one.name, href: request.link(stylePath(one)) })) } }
}

export async function createStyleIn(
  catalog: Catalog,
  request: FastifyRequest<{ Querystring: Static<typeof StyleNameQuery> }>,
  reply: FastifyReply,
  workspace: string | undefined,
): Promise<FastifyReply> {
  const styleInput = readStyleBody(request)
  const name = styleInput.name ?? request.query.name
  if (name === undefined) throw invalid('invalid-body', 'A new style needs a name: "style.name", or ?name=')
  const { format = 'maplibre', document } = styleInput
  const content = document === undefined ? undefined : { format, document }
  const style = await catalog.styles.create({ workspace, name, content })
  return reply
    .code(201)
    .header('location', request.link(stylePath(style)))
    .send(toKeptStyleResponse(request, style, content !== undefined))
}

export async function sendStyle(
  catalog: Catalog,
  request: FastifyRequest,
  reply: FastifyReply,
  place: StylePlace,
): Promise<FastifyReply> {
  const { style, format } = await findNamed(catalog, place)
  request.usedStyle = style
  const requested = format === undefined ? acceptedFormats(request.headers.accept) : [format]
  reply.header('vary', 'accept')
  return requested.length === 0
    ? sendEntity(request, reply, toStyleResponse(request, style))
    : sendStyleDocument(reply, style, requested)
}

export async function changeNamed(catalog: Catalog, request: FastifyRequest, place: StylePlace) {
  const style = await getNamed(catalog, request, place)
  requireMatch(request, toStyleResponse(request, style))
  const { name, format = style.format, document } = readStyleBody(request)
  if (name !== undefined && name !== style.name)
    throw invalid('invalid-body', `The name of style "${style.name}" cannot be changed`)
  const content = document === undefined ? undefined : { format, document }
  const kept = await catalog.styles.change(style, content)
  return toKeptStyleResponse(request, kept, content !== undefined)
}

export async function deleteNamed(
  catalog: Catalog,
  request: FastifyRequest<{ Querystring: Static<typeof RecurseQuery> }>,
  reply: FastifyReply,
  place: StylePlace,
): Promise<FastifyReply> {
  const style = await getNamed(catalog, request, place)
  requireMatch(request, toStyleResponse(request, style))
  await catalog.styles.delete(style, { recurse: request.query.recurse ?? false })
  return reply.code(200).send()
}

async function getNamed(
  catalog: Catalog,
  request: FastifyRequest,
  { workspace, name }: StylePlace,
): Promise<StyleRecord> {
  const style = await catalog.styles.get(workspace, name)
  request.usedStyle = style
  return style
}

/** A style by name; `<name>.sld` and the like mean its document in that format. */
async function findNamed({ styles }: Catalog, { workspace, name }: StylePlace) {
  const style = await styles.find(workspace, name)
  if (style !== undefined) return { style, format: undefined }
  const plain = plainStyleName(name)
  const named = plain === name ? undefined : await styles.find(workspace, plain)
  if (named === undefined) throw notFound('unknown-style', `Style "${name}" does not exist`)
  return { style: named, format: formatOfName(name) }
}
