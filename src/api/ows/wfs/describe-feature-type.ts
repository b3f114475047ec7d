import type { LayerRecord } from '../../../catalog/index.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import {
  type GmlNamespace,
  type GmlVersion,
  gmlFeatureType,
  gmlSchemaFrame,
  gmlSchemaImports,
} from '../../../formats/writing/index.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import type { OwsCatalog, OwsDeps } from '../ows-deps.ts'
import { readableSummaries, sendPieces } from '../send-pieces.ts'
import { namespacePrefix } from '../type-names.ts'
import { requireType } from './feature-types.ts'
import { readTypeNames } from './kvp-feature-request.ts'
import { readOutputFormat } from './output-formats.ts'
import { describeUrl } from './service-links.ts'
import type { WfsRequest } from './wfs-request.ts'
import { wordsOfVersion } from './wfs-version.ts'

/** Formats of features with the GML that their schema describes. */
const gmlOfOutput = new Map<string, GmlVersion>([
  ['gml32', '3.2'],
  ['gml31', '3.1'],
  ['gml21', '2.1'],
])
const mediaTypes: Record<GmlVersion, string> = {
  '3.2': 'application/gml+xml; version=3.2',
  '3.1': 'text/xml; subtype=gml/3.1.1',
  '2.1': 'text/xml; subtype=gml/2.1.2',
}

/** Layers that are read together. */
const atATime = 100

/** Feature types as XML Schema (OGC 09-025r2, section 9; 04-094, section 8): all of them where none is named. */
export async function describeFeatureType(
  { catalog }: Pick<OwsDeps, 'catalog'>,
  wfsRequest: WfsRequest,
): Promise<unknown> {
  const { request, reply, values, version, workspace } = wfsRequest
  const { name: output } = readOutputFormat(values.find('outputformat'), version)
  const gml = gmlOfOutput.get(output) ?? wordsOfVersion[version].gml
  const names = readTypeNames(values)
  const layers: LayerRecord[] = []
  for (const name of names)
    layers.push(await requireType(catalog, request, name, { workspace, locator: 'typename' }))
  if (names.length > 0) request.usedLayers = [...new Map(layers.map((one) => [one.id, one])).values()]
  const described = names.length > 0 ? (request.usedLayers as LayerRecord[]) : undefined
  const type = mediaTypes[gml]
  const cards: readonly Pick<LayerRecord, 'id' | 'workspace' | 'name'>[] =
    described ?? (await readableSummaries(catalog, wfsRequest)).filter(({ kind }) => kind !== 'raster')
  const [only, ...others] = new Set(cards.map((card) => card.workspace))
  if (only !== undefined && others.length === 0) {
    const place = {
      namespace: namespaceOf(request, only),
      prefix: namespacePrefix(only),
      version: gml,
    } as const
    const types = described === undefined ? documentsOf(catalog, cards) : [described]
    return sendPieces(reply, type, schemaPieces(types, place))
  }
  const byWorkspace = Map.groupBy(cards, (card) => card.workspace)
  const imports = [...byWorkspace].map(([name, types]) => ({
    namespace: namespaceOf(request, name),
    location: escapeXml(
      describeUrl({ ...wfsRequest, workspace: name }, described === undefined ? [] : types),
    ),
  }))
  return reply
    .header('cache-control', 'private, no-cache')
    .header('content-type', type)
    .send(gmlSchemaImports(imports))
}

async function* schemaPieces(
  types: Iterable<LayerRecord[]> | AsyncIterable<LayerRecord[]>,
  place: GmlNamespace,
): AsyncGenerator<string> {
  const { head, tail } = gmlSchemaFrame(place)
  yield head
  for await (const layers of types)
    for (const { name, details } of layers) yield gmlFeatureType({ name, schema: details.schema }, place)
  yield tail
}

/** The documents of layers, some at a time. */
async function* documentsOf(
  catalog: OwsCatalog,
  cards: readonly { id: number }[],
): AsyncGenerator<LayerRecord[]> {
  for (let at = 0; at < cards.length; at += atATime)
    yield await catalog.layers.findByIds(cards.slice(at, at + atATime).map(({ id }) => id))
}
