import { setImmediate } from 'node:timers/promises'
import { hasRole } from '../../../accounts/caller.ts'
import type { LayerRecord } from '../../../catalog/records.ts'
import type { GmlTypesPlace } from '../../../formats/writing/gml/gml-schema.ts'
import { gmlFeatureType, gmlSchemaFrame, gmlSchemaImports } from '../../../formats/writing/gml/gml-schema.ts'
import { escapeXml } from '../../../lib/text/escape-xml.ts'
import type { OwsParts } from '../ows-parts.ts'
import { namespaceOf, prefixOf } from '../type-names.ts'
import { requireType } from './feature-types.ts'
import { readTypeNames } from './kvp-feature-request.ts'
import { readOutputFormat } from './output-formats.ts'
import { describeUrl } from './service-links.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Layers that are read without a pause for others. */
const atATime = 200

/** Feature types as XML Schema (OGC 09-025r2, section 9; 04-094, section 8): all of them where none is named. */
export async function describeFeatureType(parts: OwsParts, asked: WfsRequest): Promise<unknown> {
  const { request, reply, values, version, workspace } = asked
  const { name: output } = readOutputFormat(values.find('outputformat'), version)
  const gml = output === 'gml32' ? '3.2' : output === 'gml31' ? '3.1' : version === '2.0.0' ? '3.2' : '3.1'
  const names = readTypeNames(values)
  const layers: LayerRecord[] = []
  for (const name of names)
    layers.push(await requireType(parts, request, name, { workspace, locator: 'typename' }))
  if (names.length > 0) request.usedLayers = [...new Map(layers.map((one) => [one.id, one])).values()]
  const described =
    names.length > 0 ? (request.usedLayers as LayerRecord[]) : await readableTypes(parts, asked)
  reply.header('cache-control', 'private, no-cache')
  reply.header(
    'content-type',
    `${gml === '3.2' ? 'application/gml+xml; version=3.2' : 'text/xml; subtype=gml/3.1.1'}`,
  )
  const byWorkspace = Map.groupBy(described, (layer) => layer.workspace)
  const [only] = byWorkspace.keys()
  if (byWorkspace.size <= 1 && only !== undefined) {
    const place = { namespace: namespaceOf(request, only), prefix: prefixOf(only), version: gml } as const
    return reply.send(await schemaOf(described, place))
  }
  const imports = [...byWorkspace].map(([name, types]) => ({
    namespace: namespaceOf(request, name),
    location: escapeXml(describeUrl({ ...asked, workspace: name }, names.length > 0 ? types : [])),
  }))
  return reply.send(gmlSchemaImports(imports))
}

async function schemaOf(layers: readonly LayerRecord[], place: GmlTypesPlace): Promise<string> {
  const { head, tail } = gmlSchemaFrame(place)
  const pieces = [head]
  for (const [index, { name, details }] of layers.entries()) {
    if (index % atATime === atATime - 1) await setImmediate()
    pieces.push(gmlFeatureType({ name, schema: details.schema }, place))
  }
  return [...pieces, tail].join('')
}

/** All feature types that the caller may read. */
async function readableTypes(
  { catalog }: OwsParts,
  { request, workspace }: WfsRequest,
): Promise<LayerRecord[]> {
  const known = await catalog.cards.now()
  const set = hasRole(request.caller, 'user') ? known : known.open
  const ids = [...set.byId.values()]
    .filter((card) => card.kind !== 'raster' && (workspace === undefined || card.workspace === workspace))
    .map(({ id }) => id)
  const layers: LayerRecord[] = []
  for (let at = 0; at < ids.length; at += atATime) {
    layers.push(...(await catalog.layers.findByIds(ids.slice(at, at + atATime))))
    await setImmediate()
  }
  return layers
}
