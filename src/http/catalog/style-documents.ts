import type { StyleFormat } from '../../catalog/records.ts'
import { invalid } from '../../lib/errors.ts'

const maxDocumentBytes = 5 * 2 ** 20

export const sldType = 'application/vnd.ogc.sld+xml'
export const mapLibreType = 'application/vnd.maplibre.style+json'

/** Content types of each format, the one that is answered first. */
const typesOfFormat: Record<StyleFormat, string[]> = {
  sld: [sldType, 'application/vnd.ogc.se+xml', 'application/xml', 'text/xml'],
  maplibre: [
    mapLibreType,
    'application/vnd.mapbox.style+json',
    'application/vnd.geoserver.mbstyle+json',
    'application/vnd.maplibre+json',
  ],
  qml: ['application/vnd.qgis.qml+xml'],
}

export const documentTypes: string[] = Object.values(typesOfFormat).flat()

/** The content type that a document of this format is answered as. */
export function contentTypeOf(format: StyleFormat): string {
  return typesOfFormat[format][0] ?? 'application/octet-stream'
}

/** The format that a content type names. */
export function formatOfType(contentType: string): StyleFormat | undefined {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  for (const [format, types] of Object.entries(typesOfFormat) as [StyleFormat, string[]][]) {
    if (types.includes(type)) return format
  }
  return undefined
}

/** The format that a file name or a word names. */
export function formatOfName(name: string | undefined): StyleFormat | undefined {
  const word = name?.toLowerCase().split('.').at(-1)
  if (word === 'sld' || word === 'qml') return word
  return word === 'json' || word === 'maplibre' || word === 'mbstyle' ? 'maplibre' : undefined
}

/** Throws `Failure` (`invalid`) for a document that is not what its format says. */
export function checkDocument(format: StyleFormat, document: string): void {
  if (Buffer.byteLength(document) > maxDocumentBytes)
    throw invalid('invalid-style', 'The style document is larger than 5 MiB')
  if (format === 'maplibre') checkMapLibre(document)
  else checkXml(document, format === 'sld' ? 'StyledLayerDescriptor' : 'qgis')
}

function checkMapLibre(document: string): void {
  const style = parseObject(document)
  if (style?.version === 8 && Array.isArray(style.layers)) return
  throw invalid('invalid-style', 'A MapLibre style is JSON with "version": 8 and a list of "layers"')
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function checkXml(document: string, root: string): void {
  if (root !== 'qgis' && /<!DOCTYPE|<!ENTITY/i.test(document))
    throw invalid('invalid-style', 'The style document has a DOCTYPE, which is not accepted')
  const [, found] =
    /<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]/.exec(document.replace(/<!--[\s\S]*?-->/g, '')) ?? []
  if (found === root && /^\s*</.test(document.replace(/^\uFEFF/, ''))) return
  throw invalid(
    'invalid-style',
    `The style document is XML with the root element ${root}, found ${found ?? 'none'}`,
  )
}
