import type { StyleFormat } from '../../catalog/records.ts'

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

/** The formats that an `Accept` header names, the wanted first; plain XML names none, which browsers accept too. */
export function acceptedFormats(accept: string | undefined): StyleFormat[] {
  return (accept ?? '').split(',').flatMap((type) => {
    const format = /\/xml/.test(type) ? undefined : formatOfType(type)
    return format === undefined ? [] : [format]
  })
}
