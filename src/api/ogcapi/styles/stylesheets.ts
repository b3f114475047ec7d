import type { StyleRecord } from '../../../catalog/index.ts'
import { Failure } from '../../../core/errors/errors.ts'
import { convertStyle, convertToSe, type StyleFormat } from '../../../styles/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { Representation } from '../representations.ts'
import { ogcStylePath } from './readable-styles.ts'

/** An encoding of styles (OGC 20-009, section 9). */
interface Stylesheet extends Representation {
  version: string
  specification: string
  /** Language in which a style with this encoding is stored. */
  format: StyleFormat
  convert(style: StyleRecord): string | undefined
}

/** Returns the version of an SLD document. */
function sldVersion({ document }: Pick<StyleRecord, 'document'>): string | undefined {
  return /<(?:[\w-]+:)?StyledLayerDescriptor\b[^>]*?\sversion\s*=\s*["']([\d.]+)["']/.exec(document)?.[1]
}

/** SLD 1.1 has the symbols of SE. */
function isSe(style: Pick<StyleRecord, 'format' | 'document'>): boolean {
  return style.format === 'sld' && sldVersion(style)?.startsWith('1.1') === true
}

/** The offered encodings; the first is the default. */
export const stylesheets: readonly Stylesheet[] = [
  {
    name: 'mapbox',
    aliases: ['maplibre'],
    title: 'MapLibre style',
    mediaType: 'application/vnd.mapbox.style+json',
    acceptedAs: ['application/vnd.maplibre.style+json', 'application/json'],
    version: '8',
    specification: 'https://maplibre.org/maplibre-style-spec/',
    format: 'maplibre',
    convert: (style) => convertStyle(style, 'maplibre'),
  },
  {
    name: 'sld10',
    aliases: ['sld'],
    title: 'SLD 1.0',
    mediaType: 'application/vnd.ogc.sld+xml;version=1.0',
    version: '1.0.0',
    specification: 'https://portal.ogc.org/files/?artifact_id=1188',
    format: 'sld',
    convert: (style) => (isSe(style) ? undefined : convertStyle(style, 'sld')),
  },
  {
    name: 'sld11',
    title: 'SLD 1.1',
    mediaType: 'application/vnd.ogc.sld+xml;version=1.1',
    acceptedAs: ['application/vnd.ogc.se+xml'],
    version: '1.1.0',
    specification: 'https://portal.ogc.org/files/?artifact_id=22364',
    format: 'sld',
    convert: (style) => (isSe(style) ? style.document : convertToSe(style)),
  },
  {
    name: 'qml',
    title: 'QGIS style',
    mediaType: 'application/vnd.qgis.qml+xml',
    version: '3',
    specification: 'https://qgis.org/',
    format: 'qml',
    convert: (style) => convertStyle(style, 'qml'),
  },
]

/** True if a style is stored in this encoding, so that the document is the one that was sent. */
export function isNative(sheet: Stylesheet, style: StyleRecord): boolean {
  return sheet.format === style.format && (sheet.format !== 'sld' || isSe(style) === (sheet.name === 'sld11'))
}

/** Returns the encoding that a client requests: by `f`, or by `Accept` with the version of SLD; undefined for any. */
function requestedSheet(request: FastifyRequest): Stylesheet | undefined {
  const { f } = request.query as { f?: string }
  if (f !== undefined)
    return stylesheets.find(({ name, aliases }) => name === f || aliases?.includes(f) === true)
  const accept = (request.headers.accept ?? '').toLowerCase()
  if (accept === '' || /^\s*\*\/\*/.test(accept)) return undefined
  const types = accept.split(',').map((one) => one.replaceAll(/\s|"/g, ''))
  for (const type of types) {
    const isNewer = /^application\/vnd\.ogc\.(?:se\+xml|sld\+xml;(?:.*;)?version=1\.1)/.test(type)
    if (isNewer) return stylesheets.find(({ name }) => name === 'sld11')
    const plain = type.split(';', 1).join()
    const found = stylesheets.find(({ mediaType, acceptedAs = [] }) =>
      [mediaType.split(';', 1).join(), ...acceptedAs].includes(plain),
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** Sends the document of a style: in the requested encoding, otherwise as it is stored. */
export function sendStylesheet(
  style: StyleRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const sheet = requestedSheet(request) ?? stylesheets.find((one) => isNative(one, style))
  const document = sheet && (isNative(sheet, style) ? style.document : sheet.convert(style))
  if (sheet !== undefined && document !== undefined)
    return reply.header('content-type', `${sheet.mediaType}; charset=utf-8`).send(document)
  const others = stylesheets.filter((one) => isNative(one, style) || one.convert(style) !== undefined)
  throw new Failure(
    'notAcceptable',
    'not-acceptable',
    `Style "${style.name}" is not available as ${sheet?.title ?? 'requested'}: use f with one of ${others.map(({ name }) => name).join(', ')}`,
  )
}

/** Returns links to the encodings of a style. */
export function sheetLinks(request: FastifyRequest, style: StyleRecord) {
  return stylesheets
    .filter((one) => isNative(one, style) || one.convert(style) !== undefined)
    .map((sheet) => ({
      sheet,
      link: {
        rel: 'stylesheet',
        type: sheet.mediaType,
        title: `As ${sheet.title}`,
        href: request.link(`${ogcStylePath(style)}?f=${sheet.name}`),
      },
    }))
}
