import type { StyleRecord } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import { convertStyle, convertToSe, type StyleFormat, styleFormats } from '../../../styles/index.ts'
import type { FastifyReply } from '../../app-types.ts'

export const sldType = 'application/vnd.ogc.sld+xml'
const seType = 'application/vnd.ogc.se+xml'
export const mapLibreType = 'application/vnd.maplibre.style+json'

/** Content types of each format, the one used in responses first. */
export const typesOfFormat = {
  sld: [sldType, seType, 'application/xml', 'text/xml'],
  maplibre: [
    mapLibreType,
    'application/vnd.mapbox.style+json',
    'application/vnd.geoserver.mbstyle+json',
    'application/vnd.maplibre+json',
  ],
  qml: ['application/vnd.qgis.qml+xml'],
} as const satisfies Record<StyleFormat, readonly [string, ...string[]]>

export const documentTypes: string[] = Object.values(typesOfFormat).flat()

/** Returns the content type of a document with this format. */
function contentTypeOf(format: StyleFormat): string {
  return typesOfFormat[format][0]
}

/** The format that a content type names. */
export function formatOfType(contentType: string): StyleFormat | undefined {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  for (const [format, types] of Object.entries(typesOfFormat) as [StyleFormat, readonly string[]][]) {
    if (types.includes(type)) return format
  }
  return undefined
}

/** Returns the name of a style without an extension that requests its document. */
export function plainStyleName(name: string): string {
  return name.replace(/\.(sld|qml|mbstyle|maplibre)$/, '')
}

/** The format that a file name or a word names. */
export function formatOfName(name: string | undefined): StyleFormat | undefined {
  const word = name?.toLowerCase().split('.').at(-1)
  if (word === 'sld' || word === 'qml') return word
  return word === 'json' || word === 'maplibre' || word === 'mbstyle' ? 'maplibre' : undefined
}

/** True if the client prefers SLD with the symbols of SE 1.1. */
function isSeRequested(accept: string | undefined): boolean {
  return (accept ?? '').split(',')[0]?.split(';', 1)[0]?.trim().toLowerCase() === seType
}

/**
 * Returns the formats in an `Accept` header, preferred first; plain XML names none, since browsers accept it
 * too.
 */
export function acceptedFormats(accept: string | undefined): StyleFormat[] {
  return (accept ?? '').split(',').flatMap((type) => {
    const format = /\/xml/.test(type) ? undefined : formatOfType(type)
    return format === undefined ? [] : [format]
  })
}

/**
 * Responds with the style's document in its own format if the client accepts it, otherwise in the first
 * available format; `others` are the formats to which it may be converted.
 */
export function sendStyleDocument(
  reply: FastifyReply,
  style: Pick<StyleRecord, 'name' | 'format' | 'document'>,
  requested: StyleFormat[],
  others: readonly StyleFormat[] = styleFormats,
): FastifyReply {
  const se =
    isSeRequested(reply.request.headers.accept) && requested[0] === 'sld' ? convertToSe(style) : undefined
  if (se !== undefined) return reply.header('content-type', `${seType}; charset=utf-8`).send(se)
  const formats = requested.includes(style.format)
    ? [style.format]
    : requested.filter((one) => others.includes(one))
  for (const format of formats) {
    const document = convertStyle(style, format)
    if (document === undefined) continue
    return reply.header('content-type', `${contentTypeOf(format)}; charset=utf-8`).send(document)
  }
  throw notFound(
    'unknown-style',
    `Style "${style.name}" is ${style.format} and cannot be had as ${requested.join(' or ')}`,
  )
}
