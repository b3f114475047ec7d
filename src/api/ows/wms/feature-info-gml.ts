import type { LayerRecord } from '../../../catalog/index.ts'
import { gmlNamespaces, xmlAttribute, xmlName, xmlText } from '../../../formats/writing/index.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { WrittenForm } from '../../../stores/index.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import { toUrn } from '../named-crs.ts'
import { namespacePrefix, typeNameOf } from '../type-names.ts'
import type { WmsRequest } from './wms-request.ts'

/** Features of one layer at a point of a map. */
export interface LayerFeatureInfo {
  layer: LayerRecord
  /** GeoJSON, separated by commas; features as members of a collection if GML was requested. */
  text: string
  /** Number of features. */
  count: number
}

/** GML versions for GetFeatureInfo: features as in WFS, values of coverages as features without geometry. */
export type InfoGml = '3.2' | '3.1' | '2.1'

/** Returns the format of a layer's features in the CRS of a map. */
export function infoForm(
  { request }: Pick<WmsRequest, 'request'>,
  { name, workspace, details }: LayerFeatureInfo['layer'],
  { gml, srs }: { gml: InfoGml; srs: string },
): WrittenForm {
  const code = /^EPSG:(\d+)$/.exec(srs)?.[1]
  const uri =
    gml !== '2.1' ? toUrn(srs) : code === undefined ? srs : `http://www.opengis.net/gml/srs/epsg.xml#${code}`
  return {
    name: `wfs-members-${gml}`,
    about: {
      name,
      title: details.title,
      schema: details.schema,
      collection: namespaceOf(request, workspace),
      prefix: namespacePrefix(workspace),
      crs: { uri, srs, isYx: isYxIn(gml, srs) },
    },
  }
}

/** Since GML 3 the axes are those of the authority. */
function isYxIn(gml: InfoGml, srs: string): boolean {
  return gml !== '2.1' && findCrs(srs)?.axisOrder === 'yx'
}

/** The whole document. */
export function gmlText(
  request: WmsRequest,
  found: readonly LayerFeatureInfo[],
  { gml, timeStamp }: { gml: InfoGml; timeStamp: string },
): string {
  const members = found.map((one) =>
    one.layer.details.kind === 'raster' ? valuesMember(one, gml) : one.text,
  )
  return [rootOf(request, found, { gml, timeStamp }), ...members, '</wfs:FeatureCollection>\n'].join('')
}

/** Feature collections of WFS 2.0, 1.1 and 1.0 for features of these versions. */
const collections: Record<InfoGml, string> = {
  '3.2': 'http://www.opengis.net/wfs/2.0',
  '3.1': 'http://www.opengis.net/wfs',
  '2.1': 'http://www.opengis.net/wfs',
}

function rootOf(
  { request }: WmsRequest,
  found: readonly LayerFeatureInfo[],
  { gml, timeStamp }: { gml: InfoGml; timeStamp: string },
): string {
  const prefixes = new Map(
    found.map(
      ({ layer: { workspace } }) => [namespacePrefix(workspace), namespaceOf(request, workspace)] as const,
    ),
  )
  const own = [...prefixes].map(([prefix, namespace]) => ` xmlns:${prefix}="${xmlAttribute(namespace)}"`)
  const count = found.reduce((sum, one) => sum + one.count, 0)
  const numbers: Record<InfoGml, string> = {
    '3.2': ` timeStamp="${timeStamp}" numberMatched="${count}" numberReturned="${count}"`,
    '3.1': ` timeStamp="${timeStamp}" numberOfFeatures="${count}"`,
    '2.1': '',
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<wfs:FeatureCollection xmlns:wfs="${collections[gml]}" xmlns:gml="${gmlNamespaces[gml]}"${own.join('')}${numbers[gml]}>\n`,
    gml === '2.1' ? '<gml:boundedBy><gml:null>unknown</gml:null></gml:boundedBy>\n' : '',
  ].join('')
}

/** The values of bands as a feature. */
function valuesMember({ layer, text }: LayerFeatureInfo, gml: InfoGml): string {
  if (text === '') return ''
  const { properties } = JSON.parse(text) as { properties: Record<string, number | null> }
  const [type, prefix] = [typeNameOf(layer), namespacePrefix(layer.workspace)]
  const element = gml === '3.2' ? 'wfs:member' : 'gml:featureMember'
  const id = `${gml === '2.1' ? 'fid' : 'gml:id'}="${xmlName(layer.name)}.1"`
  const values = Object.entries(properties).map(([name, value]) => {
    const own = `${prefix}:${xmlName(name)}`
    return value === null ? '' : `<${own}>${xmlText(String(value))}</${own}>`
  })
  return `<${element}><${type} ${id}>${values.join('')}</${type}></${element}>\n`
}
