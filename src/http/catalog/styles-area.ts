import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { StyleFormat, StyleRecord } from '../../catalog/records.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, Area, FastifyRequest, HttpContext } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import {
  acceptedFormats,
  documentTypes,
  formatOfName,
  formatOfType,
  plainStyleName,
  sendStyleDocument,
} from './style-documents.ts'
import { RecurseQuery, stylePath } from './wire.ts'

const tags = ['styles']
const NameQuery = Type.Object({ name: Type.Optional(Type.String()) })
const Fields = Type.Object({
  style: Type.Object({
    name: Type.Optional(Type.String()),
    format: Type.Optional(Type.String({ description: 'maplibre, sld or qml' })),
    filename: Type.Optional(Type.String()),
    document: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
  }),
})
/** JSON that describes the style, or the document itself under its own content type. */
const StyleBody = Type.Union([Fields, Type.String()])

/** `/rest/styles[/<name>]`, and the styles of one workspace. */
export const stylesArea: Area = (app, context) => {
  for (const type of documentTypes)
    app.addContentTypeParser(
      type,
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => body,
    )
  addStyles(app, context, { prefix: '/rest/styles', params: {}, readable: 'user' })
  addStyles(app, context, {
    prefix: '/rest/workspaces/:workspace/styles',
    params: { workspace: Type.String() },
    readable: 'workspace',
  })
}

interface Scope {
  prefix: string
  params: Record<string, TSchema>
  readable: 'user' | 'workspace'
}

function addStyles(app: App, context: HttpContext, { prefix, params, readable }: Scope): void {
  const { styles: all } = context.catalog
  const item = `${prefix}/:style`
  const CollectionParams = Type.Object(params)
  const Params = Type.Object({ ...params, style: Type.String() })

  app.get(
    prefix,
    { config: { access: readable }, schema: { tags, summary: 'List styles', params: CollectionParams } },
    async (request) => {
      const styles = await all.list(await workspaceOf(context, request))
      return {
        styles: { style: styles.map((one) => ({ name: one.name, href: request.link(stylePath(one)) })) },
      }
    },
  )

  app.post(
    prefix,
    {
      config: { access: 'staff', idempotent: true },
      schema: {
        tags,
        summary: 'Create a style',
        params: CollectionParams,
        querystring: NameQuery,
        body: StyleBody,
      },
    },
    async (request, reply) => {
      const workspace = await workspaceOf(context, request)
      const wanted = readBody(request)
      const name = wanted.name ?? request.query.name
      if (name === undefined)
        throw invalid('invalid-body', 'A new style needs a name: "style.name", or ?name=')
      const { format = 'maplibre', document } = wanted
      const content = document === undefined ? undefined : { format, document }
      const style = await all.create({ workspace, name, content })
      return reply
        .code(201)
        .header('location', request.link(stylePath(style)))
        .send(toWireStyle(request, style))
    },
  )

  app.get(
    item,
    {
      config: { access: 'style' },
      schema: { tags, summary: 'One style, or its document by Accept', params: Params },
    },
    async (request, reply) => {
      const workspace = await workspaceOf(context, request)
      const { style, format } = await findNamed(context, workspace, nameOf(request))
      request.usedStyle = style
      const wanted = format === undefined ? acceptedFormats(request.headers.accept) : [format]
      reply.header('vary', 'accept')
      return wanted.length === 0
        ? sendEntity(request, reply, toWireStyle(request, style))
        : sendStyleDocument(reply, style, wanted)
    },
  )

  app.put(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Change a style', params: Params, body: StyleBody },
    },
    async (request) => {
      const style = await getNamed(context, request)
      requireMatch(request, toWireStyle(request, style))
      await changeStyle(context, style, readBody(request))
      return toWireStyle(request, await all.get(style.workspace, style.name))
    },
  )

  app.delete(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Delete a style', params: Params, querystring: RecurseQuery },
    },
    async (request, reply) => {
      const style = await getNamed(context, request)
      requireMatch(request, toWireStyle(request, style))
      await all.delete(style, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

function toWireStyle(request: FastifyRequest, style: StyleRecord) {
  const { name, workspace, format } = style
  return {
    style: {
      name,
      ...(workspace === undefined ? {} : { workspace: { name: workspace } }),
      format,
      filename: `${name}.${format === 'maplibre' ? 'json' : format}`,
      href: request.link(stylePath(style)),
      dateCreated: style.createdAt,
      dateModified: style.updatedAt,
    },
  }
}

async function workspaceOf({ catalog }: HttpContext, request: FastifyRequest): Promise<string | undefined> {
  const { workspace } = request.params as { workspace?: string }
  return workspace === undefined ? undefined : (await catalog.workspaces.get(workspace)).name
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { style: string }).style
}

async function getNamed(context: HttpContext, request: FastifyRequest): Promise<StyleRecord> {
  const workspace = await workspaceOf(context, request)
  const style = await context.catalog.styles.get(workspace, nameOf(request))
  request.usedStyle = style
  return style
}

/** A style by name; `<name>.sld` and the like mean its document in that format. */
async function findNamed({ catalog: { styles } }: HttpContext, workspace: string | undefined, name: string) {
  const style = await styles.find(workspace, name)
  if (style !== undefined) return { style, format: undefined }
  const plain = plainStyleName(name)
  const named = plain === name ? undefined : await styles.find(workspace, plain)
  if (named === undefined) throw notFound('unknown-style', `Style "${name}" does not exist`)
  return { style: named, format: formatOfName(name) }
}

interface WantedStyle {
  name?: string
  format?: StyleFormat
  document?: string
}

function readBody(request: { body: unknown; headers: FastifyRequest['headers'] }): WantedStyle {
  const { body } = request
  if (typeof body === 'string') {
    const format = formatOfType(request.headers['content-type'] ?? '') ?? 'sld'
    return { format, document: body }
  }
  const { name, format: word, filename, document } = (body as { style: Record<string, unknown> }).style
  const format =
    formatOfName(String(word ?? filename ?? '')) ?? (typeof document === 'object' ? 'maplibre' : undefined)
  const text = document === undefined || typeof document === 'string' ? document : JSON.stringify(document)
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(format === undefined ? {} : { format }),
    ...(text === undefined ? {} : { document: text }),
  }
}

async function changeStyle(
  { catalog }: HttpContext,
  style: StyleRecord,
  { name, format = style.format, document }: WantedStyle,
): Promise<void> {
  if (name !== undefined && name !== style.name)
    throw invalid('invalid-body', `The name of style "${style.name}" cannot be changed`)
  if (document !== undefined) await catalog.styles.change(style, { format, document })
}
