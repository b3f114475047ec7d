import type { LayerRecord } from '../../../catalog/index.ts'
import { fromXmlName } from '../../../formats/writing/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findRequestedLayer, placesOf } from '../named-layers.ts'
import type { OwsCatalog } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { typeNameOf } from '../type-names.ts'
import type { WfsRequest } from './wfs-request.ts'

const kinds = ['vector', 'table'] as const
/** Maximum number of prefixes of an id, each up to one of its dots, that are tried as type names. */
const maxDots = 8

/** Returns the names that a type name may stand for: decoded from XML, and literally. */
function possibleNames(text: string, workspace: string | undefined): { workspace?: string; name: string }[] {
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

/** Finds the vector layer of a type name, with or without prefix; undefined also for layers the caller may not read. */
async function findType(
  catalog: OwsCatalog,
  request: FastifyRequest,
  text: string,
  workspace: string | undefined,
): Promise<LayerRecord | undefined> {
  for (const name of possibleNames(text, workspace)) {
    const found = name.workspace ?? (await workspaceOf(catalog, request, name.name))
    if (found === undefined) continue
    const layer = await findRequestedLayer(catalog, request, `${found}:${name.name}`, { workspace, kinds })
    if (layer !== undefined && layer.details.kind === 'vector') return layer
  }
  return undefined
}

/** Returns the vector layer of a type name. Throws `OwsFailure` (`InvalidParameterValue`). */
export async function requireType(
  catalog: OwsCatalog,
  request: FastifyRequest,
  text: string,
  { workspace, locator }: { workspace: string | undefined; locator: string },
): Promise<LayerRecord> {
  const found = await findType(catalog, request, text, workspace)
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
  catalog: OwsCatalog,
  { request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>,
  layer: LayerRecord,
): Promise<string | undefined> {
  if (workspace !== undefined) return undefined
  const places = await placesOf(catalog, request, layer.name, kinds)
  return places.length > 1 ? `${layer.workspace}:${layer.name}` : undefined
}

/** Returns the workspace of the only layer of this name that the caller may read. */
async function workspaceOf(
  catalog: OwsCatalog,
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

/** Finds the layer whose type name an id begins with. */
export async function findTypeOfId(
  catalog: OwsCatalog,
  { request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>,
  id: string,
): Promise<LayerRecord | undefined> {
  let at = id.indexOf('.')
  for (let tries = 0; at > 0 && tries < maxDots; tries += 1, at = id.indexOf('.', at + 1)) {
    const layer = await findType(catalog, request, id.slice(0, at), workspace)
    if (layer !== undefined) return layer
  }
  return undefined
}

/** Returns the layer whose type name an id begins with. Throws `OwsFailure` (`InvalidParameterValue`). */
export async function requireTypeOfId(
  catalog: OwsCatalog,
  wfsRequest: Pick<WfsRequest, 'request' | 'workspace'>,
  id: string,
): Promise<LayerRecord> {
  const found = await findTypeOfId(catalog, wfsRequest, id)
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `"${id.slice(0, 200)}" is the id of no feature: they begin with the name of their type and a dot`,
    'resourceid',
  )
}
