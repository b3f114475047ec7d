import type { LayerRecord } from '../../../../catalog/index.ts'
import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { namespaceOf } from '../../../workspace-namespace.ts'
import type { OwsCatalog } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { namespacePrefix } from '../../type-names.ts'
import { requireType } from '../feature-types.ts'
import type { WfsRequest } from '../wfs-request.ts'
import type { PlacedElement } from './transaction-request.ts'
import { declaredNamespace, namespaceOfElement } from './transaction-request.ts'

type TypeScope = Pick<WfsRequest, 'request' | 'workspace'>

/** Returns the layer of the element of a feature. Throws `OwsFailure`. */
export function typeOfFeature(
  catalog: OwsCatalog,
  scope: TypeScope,
  feature: PlacedElement,
  locator: string,
): Promise<LayerRecord> {
  const { prefix, name } = feature.element
  const text = prefix === undefined ? name : `${prefix}:${name}`
  return typeIn(catalog, scope, { text, name, namespace: namespaceOfElement(feature), locator })
}

/** Returns the layer that an attribute such as `typeName` of an action names. Throws `OwsFailure`. */
export function typeOfAttribute(
  catalog: OwsCatalog,
  scope: TypeScope,
  text: string,
  places: readonly XmlElement[],
  locator: string,
): Promise<LayerRecord> {
  const plain = text.trim()
  const colon = plain.indexOf(':')
  const prefix = colon < 0 ? undefined : plain.slice(0, colon)
  // The default namespace is usually that of WFS, and is none of names in attributes.
  const namespace = prefix === undefined ? undefined : declaredNamespace(prefix, places)
  return typeIn(catalog, scope, { text: plain, name: plain.slice(colon + 1), namespace, locator })
}

interface WrittenType {
  text: string
  /** Without its prefix. */
  name: string
  namespace: string | undefined
  locator: string
}

async function typeIn(
  catalog: OwsCatalog,
  { request, workspace }: TypeScope,
  { text, name, namespace, locator }: WrittenType,
): Promise<LayerRecord> {
  if (namespace === undefined) return requireType(catalog, request, text, { workspace, locator })
  const base = request.link('/')
  const [, place] = namespace.startsWith(base)
    ? (/^([^/]+)\/wfs$/.exec(namespace.slice(base.length)) ?? [])
    : []
  const found = place === undefined ? undefined : decoded(place)
  if (found === undefined || namespaceOf(request, found) !== namespace)
    throw new OwsFailure(
      'InvalidParameterValue',
      `The namespace "${namespace.slice(0, 200)}" of "${text.slice(0, 200)}" is none of this server: DescribeFeatureType has the namespace of each type`,
      locator,
    )
  return requireType(catalog, request, `${namespacePrefix(found)}:${name}`, { workspace, locator })
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
