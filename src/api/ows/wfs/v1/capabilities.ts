import type { LayerSummary } from '../../../../catalog/index.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import type { LayerBounds } from '../../../layer-bounds.ts'
import { namespaceOf } from '../../../workspace-namespace.ts'
import { textElement } from '../../service-about.ts'
import type { ServiceMetadata } from '../../service-metadata.ts'
import { namespacePrefix, typeNameOf } from '../../type-names.ts'
import { wfsUrl } from '../service-links.ts'
import type { WfsRequest } from '../wfs-request.ts'

/** Feature types that the caller may read. */
interface ListedTypes {
  metadata: ServiceMetadata
  /** Ids of the layers that the caller may edit. */
  editable: ReadonlySet<number>
}

const wfs = 'http://www.opengis.net/wfs'
const abstract = 'Features of the published layers'

/** Yields the capabilities of WFS 1.0 (OGC 02-058, section 12). */
export async function* olderCapabilities(
  bounds: LayerBounds,
  request: WfsRequest,
  { metadata, editable }: ListedTypes,
): AsyncGenerator<string> {
  const { about, cards } = metadata
  const url = wfsUrl(request)
  yield [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<WFS_Capabilities version="1.0.0" xmlns="${wfs}" xmlns:ogc="http://www.opengis.net/ogc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`,
    ` xsi:schemaLocation="${wfs} http://schemas.opengis.net/wfs/1.0.0/WFS-capabilities.xsd">`,
    `<Service><Name>WFS</Name>${textElement('Title', about.title)}${textElement('Abstract', about.abstract ?? abstract)}`,
    textElement('Keywords', about.keywords.length === 0 ? undefined : about.keywords.join(', ')),
    textElement('OnlineResource', url),
    textElement('Fees', about.fees ?? 'NONE'),
    textElement('AccessConstraints', about.access ?? 'NONE'),
    `</Service>${capability(url, editable.size > 0)}`,
    '<FeatureTypeList><Operations><Query/></Operations>',
  ].join('')
  for (const card of cards) yield featureType(request, card, await bounds.of(card), editable.has(card.id))
  yield `</FeatureTypeList>${filterCapabilities}</WFS_Capabilities>\n`
}

function capability(url: string, canEdit: boolean): string {
  const address = escapeXml(url)
  const post = `<DCPType><HTTP><Post onlineResource="${address}"/></HTTP></DCPType>`
  const both = `<DCPType><HTTP><Get onlineResource="${address}?"/></HTTP></DCPType>${post}`
  const editing = [
    `<Transaction>${post}</Transaction>`,
    `<LockFeature>${post}</LockFeature>`,
    `<GetFeatureWithLock><ResultFormat><GML2/></ResultFormat>${post}</GetFeatureWithLock>`,
  ]
  return [
    `<Capability><Request><GetCapabilities>${both}</GetCapabilities>`,
    `<DescribeFeatureType><SchemaDescriptionLanguage><XMLSCHEMA/></SchemaDescriptionLanguage>${both}</DescribeFeatureType>`,
    `<GetFeature><ResultFormat><GML2/></ResultFormat>${both}</GetFeature>`,
    ...(canEdit ? editing : []),
    '</Request></Capability>',
  ].join('')
}

const editing = '<Operations><Query/><Insert/><Update/><Delete/><Lock/></Operations>'

function featureType(
  { request }: WfsRequest,
  card: LayerSummary,
  bounds: number[] | undefined,
  isEditable: boolean,
): string {
  const prefix = namespacePrefix(card.workspace)
  const [west = -180, south = -90, east = 180, north = 90] = bounds ?? []
  const [minX, maxX] = east > 180 ? [-180, 180] : [west, east]
  const hasBounds = card.kind !== 'table'
  return [
    `<FeatureType xmlns:${prefix}="${escapeXml(namespaceOf(request, card.workspace))}">`,
    textElement('Name', typeNameOf(card)),
    textElement('Title', card.title === '' ? card.name : card.title),
    textElement('Abstract', card.abstract),
    textElement('Keywords', card.keywords.length === 0 ? undefined : card.keywords.join(', ')),
    // The schema requires one, also for a table without geometries.
    textElement('SRS', card.place.srs ?? 'EPSG:4326'),
    isEditable ? editing : '',
    hasBounds ? `<LatLongBoundingBox minx="${minX}" miny="${south}" maxx="${maxX}" maxy="${north}"/>` : '',
    '</FeatureType>\n',
  ].join('')
}

const spatial = [
  'BBOX',
  'Equals',
  'Disjoint',
  'Intersect',
  'Touches',
  'Crosses',
  'Within',
  'Contains',
  'Overlaps',
  'Beyond',
  'DWithin',
]

/** OGC 02-059, section 12. */
const filterCapabilities = [
  '<ogc:Filter_Capabilities><ogc:Spatial_Capabilities><ogc:Spatial_Operators>',
  ...spatial.map((name) => `<ogc:${name}/>`),
  '</ogc:Spatial_Operators></ogc:Spatial_Capabilities><ogc:Scalar_Capabilities><ogc:Logical_Operators/>',
  '<ogc:Comparison_Operators><ogc:Simple_Comparisons/><ogc:Like/><ogc:Between/><ogc:NullCheck/></ogc:Comparison_Operators>',
  '<ogc:Arithmetic_Operators><ogc:Simple_Arithmetic/></ogc:Arithmetic_Operators></ogc:Scalar_Capabilities></ogc:Filter_Capabilities>',
].join('')
