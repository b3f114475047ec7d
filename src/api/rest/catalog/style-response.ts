import { Type } from 'typebox'
import type { StyleRecord } from '../../../catalog/index.ts'
import {
  getStyleLanguage,
  type StyleFormat,
  styleFormats,
  styleLanguages,
  styleMessages,
} from '../../../styles/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { media } from '../../description.ts'
import { Linked, stylePath } from './paths.ts'
import { formatOfName, formatOfType, seType } from './style-documents.ts'

const Fields = Type.Object({
  style: Type.Object({
    name: Type.Optional(Type.String()),
    format: Type.Optional(Type.String({ description: styleFormats.join(', ') })),
    filename: Type.Optional(Type.String()),
    document: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
  }),
})
/** JSON that describes the style, or the document itself under its own content type. */
export const StyleBody = Type.Union([Fields, Type.String()])

export const StyleList = Type.Object({ styles: Type.Object({ style: Type.Array(Linked) }) })

export const StyleReply = Type.Object({
  style: Type.Object({
    name: Type.String(),
    workspace: Type.Optional(Type.Object({ name: Type.String() }, { description: 'Absent: a global style' })),
    format: Type.Union(styleFormats.map((format) => Type.Literal(format))),
    filename: Type.String(),
    href: Type.String(),
    dateCreated: Type.String(),
    dateModified: Type.String(),
    messages: Type.Optional(
      Type.Array(
        Type.Object({
          level: Type.Union([Type.Literal('info'), Type.Literal('warning')]),
          code: Type.String(),
          message: Type.String(),
        }),
        { description: 'If a document was sent: its parts that are not drawn or not converted' },
      ),
    ),
  }),
})

/** A style document as MapLibre has it. */
const MapLibreStyle = Type.Object(
  { version: Type.Literal(8), layers: Type.Array(Type.Object({}, { additionalProperties: true })) },
  { additionalProperties: true },
)

/** Documents of styles, by content type. */
export const documentAnswers = {
  ...Object.fromEntries(
    styleLanguages.map(({ title, mediaTypes: [type] }) => [
      type,
      Type.String({ description: `A style as ${title}` }),
    ]),
  ),
  [seType]: Type.String({ description: 'SLD 1.1 with the symbols of SE 1.1' }),
  [getStyleLanguage('maplibre').mediaTypes[0]]: MapLibreStyle,
}

export const StyleOrDocument = media('The style, or its document by Accept or the ending of its name', {
  'application/json': StyleReply,
  'application/xml': Type.String({ description: 'The same as XML' }),
  ...documentAnswers,
})

/** Returns the response for a style that was just stored, with messages about its document. */
export function toKeptStyleResponse(request: FastifyRequest, kept: StyleRecord, hasDocument: boolean) {
  const { style } = toStyleResponse(request, kept)
  const messages = hasDocument ? styleMessages(kept) : []
  return { style: { ...style, messages: messages.length === 0 ? undefined : messages } }
}

export function toStyleResponse(request: FastifyRequest, style: StyleRecord) {
  const { name, workspace, format } = style
  return {
    style: {
      name,
      workspace: workspace === undefined ? undefined : { name: workspace },
      format,
      filename: `${name}.${getStyleLanguage(format).extensions[0]}`,
      href: request.link(stylePath(style)),
      dateCreated: style.createdAt,
      dateModified: style.updatedAt,
    },
  }
}

/** Fields of a style in a body. */
export interface StyleInput {
  name?: string
  format?: StyleFormat
  document?: string
}

export function readStyleBody({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): StyleInput {
  if (typeof body === 'string') {
    return { format: formatOfType(headers['content-type'] ?? '') ?? 'sld', document: body }
  }
  const { name, format: word, filename, document } = (body as { style: Record<string, unknown> }).style
  const format =
    formatOfName(String(word ?? filename ?? '')) ?? (typeof document === 'object' ? 'maplibre' : undefined)
  const text = document === undefined || typeof document === 'string' ? document : JSON.stringify(document)
  return { name: typeof name === 'string' ? name : undefined, format, document: text }
}
