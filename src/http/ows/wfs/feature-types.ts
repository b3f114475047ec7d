import type { LayerRecord } from '../../../catalog/records.ts'
import { fromXmlName } from '../../../formats/writing/gml/xml-text.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findLayer, placesOf } from '../named-layers.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { typeNameOf } from '../type-names.ts'

const kinds = ['vector', 'table'] as const

/** Returns the possible readings of a layer name: as XML names, and literally. */
function readings(text: string, workspace: string | undefined): { workspace?: string; name: string }[] {
  const colon = text.indexOf(':')
  const prefix = text.slice(0, Math.max(colon, 0))
  const name = text.slice(colon + 1)
  if (colon < 0) {
    const decoded = fromXmlName(text)
    const at = decoded.indexOf(':')
    // The id of a feature whose type name is ambiguous.
    if (at > 0) return [{ workspace: decoded.slice(0, at), name: decoded.slice(at + 1) }]
    const names = [...new Set([decoded, text])]
    return names.map((one) => (workspace === undefined ? { name: one } : { workspace, name: one }))
  }
  const own = { workspace: fromXmlName(prefix), name: fromXmlName(name) }
  const plain = { workspace: prefix, name }
  return own.workspace === prefix && own.name === name ? [plain] : [own, plain]
}

/** The layer of features that a type name means, with or without its prefix; undefined for what is closed too. */
export async function findType(
  deps: Pick<OwsDeps, 'catalog'>,
  request: FastifyRequest,
  text: string,
  workspace: string | undefined,
): Promise<LayerRecord | undefined> {
  for (const reading of readings(text, workspace)) {
    const place = reading.workspace ?? (await placeOf(deps, request, reading.name))
    if (place === undefined) continue
    const layer = await findLayer(deps.catalog, request, `${place}:${reading.name}`, { workspace, kinds })
    if (layer !== undefined && layer.details.kind === 'vector') return layer
  }
  return undefined
}

/** The same; throws `OwsFailure` (`InvalidParameterValue`). */
export async function requireType(
  deps: Pick<OwsDeps, 'catalog'>,
  request: FastifyRequest,
  text: string,
  { workspace, locator }: { workspace: string | undefined; locator: string },
): Promise<LayerRecord> {
  const found = await findType(deps, request, text, workspace)
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `Feature type "${text.slice(0, 200)}" does not exist, or needs a login`,
    locator,
  )
}

/**
 * Returns the prefix of feature ids by which they can be requested at the same address: includes the
 * workspace if the caller may read several layers of the name. Undefined if the name is sufficient.
 */
export async function findIdPrefix(
  { catalog }: Pick<OwsDeps, 'catalog'>,
  { request, workspace }: { request: FastifyRequest; workspace: string | undefined },
  layer: LayerRecord,
): Promise<string | undefined> {
  if (workspace !== undefined) return undefined
  const places = await placesOf(catalog, request, layer.name, kinds)
  return places.length > 1 ? `${layer.workspace}:${layer.name}` : undefined
}

/** The workspace of the only layer of this name that the caller may read. */
async function placeOf(
  { catalog }: Pick<OwsDeps, 'catalog'>,
  request: FastifyRequest,
  name: string,
): Promise<string | undefined> {
  const places = await placesOf(catalog, request, name, kinds)
  if (places.length <= 1) return places[0]
  const names = places.slice(0, 5).map((workspace) => typeNameOf({ workspace, name }))
  throw new OwsFailure(
    'InvalidParameterValue',
    `Several feature types are called "${name}": ask for one of ${names.join(', ')}`,
    'typenames',
  )
}
