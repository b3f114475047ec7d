import { checkMapLibre, readMapLibre } from './maplibre/read-maplibre.ts'
import { writeMapLibre } from './maplibre/write-maplibre.ts'
import { readQml } from './qml/read-qml.ts'
import { writeQml } from './qml/write-qml.ts'
import { readSld } from './sld/read-sld.ts'
import { writeSld } from './sld/write-sld.ts'
import type { StyleLanguage } from './style-language.ts'
import { checkXmlStyle } from './style-xml.ts'

/** The registry. */
export const styleLanguages = [
  {
    format: 'maplibre',
    title: 'MapLibre',
    mediaTypes: [
      'application/vnd.maplibre.style+json',
      'application/vnd.mapbox.style+json',
      'application/vnd.geoserver.mbstyle+json',
      'application/vnd.maplibre+json',
    ],
    extensions: ['json', 'maplibre', 'mbstyle'],
    check: checkMapLibre,
    read: readMapLibre,
    write: writeMapLibre,
  },
  {
    format: 'sld',
    title: 'SLD',
    mediaTypes: ['application/vnd.ogc.sld+xml', 'application/vnd.ogc.se+xml', 'application/xml', 'text/xml'],
    extensions: ['sld'],
    check: (document) => checkXmlStyle(document, 'StyledLayerDescriptor'),
    read: readSld,
    write: (style, name) => writeSld(style, name),
  },
  {
    format: 'qml',
    title: 'QML',
    mediaTypes: ['application/vnd.qgis.qml+xml'],
    extensions: ['qml'],
    check: (document) => checkXmlStyle(document, 'qgis', { takesDoctype: true }),
    read: readQml,
    write: (style) => writeQml(style),
  },
] as const satisfies readonly StyleLanguage[]

/** Format of style documents: the name of a language. */
export type StyleFormat = (typeof styleLanguages)[number]['format']

/** Formats of style documents. */
export const styleFormats = styleLanguages.map(({ format }) => format)

/** Returns the language with this name. */
export function getStyleLanguage(format: StyleFormat): StyleLanguage {
  const language = styleLanguages.find((one) => one.format === format)
  if (language === undefined) throw new Error(`There is no style language "${format}"`)
  return language
}
