import type { StyleRecord } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import {
  convertStyle,
  convertToSe,
  getStyleLanguage,
  type StyleFormat,
  styleFormats,
  styleLanguages,
} from '../../../styles/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { isXmlType } from '../../compat/document-form.ts'
import { readXmlDocument } from '../../documents.ts'

export const seType = 'application/vnd.ogc.se+xml'

export const documentTypes: string[] = styleLanguages.flatMap(({ mediaTypes }) => [...mediaTypes])

/**
 * Returns a body as the document that it is; GeoServer's description of a style, which has the media type of XML too, as the
 * value of its JSON.
 */
export function readStyleText(request: FastifyRequest, body: string): unknown {
  const isDescription =
    isXmlType(request.headers['content-type']) && /^\uFEFF?\s*(?:<[?!][^>]*>\s*)*<style[\s/>]/.test(body)
  return isDescription ? readXmlDocument(request, body) : body
}

/** The format that a content type names. */
export function formatOfType(contentType: string): StyleFormat | undefined {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return styleLanguages.find(({ mediaTypes }) => (mediaTypes as readonly string[]).includes(type))?.format
}

/** Extensions that request the document of a style; `.json` requests its description. */
const documentExtensions = styleLanguages
  .flatMap(({ extensions }) => [...extensions])
  .filter((extension) => extension !== 'json')

/** Returns the name of a style without an extension that requests its document. */
export function plainStyleName(name: string): string {
  const extension = documentExtensions.find((one) => name.endsWith(`.${one}`))
  return extension === undefined ? name : name.slice(0, -extension.length - 1)
}

/** The format that a file name or a word names. */
export function formatOfName(name: string | undefined): StyleFormat | undefined {
  const word = name?.toLowerCase().split('.').at(-1) ?? ''
  return styleLanguages.find(({ extensions }) => (extensions as readonly string[]).includes(word))?.format
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
    return reply
      .header('content-type', `${getStyleLanguage(format).mediaTypes[0]}; charset=utf-8`)
      .send(document)
  }
  throw notFound(
    'unknown-style',
    `Style "${style.name}" is ${style.format} and cannot be converted to ${requested.join(' or ')}`,
  )
}
