import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { OwsFailure } from '../../ows-failure.ts'

const actionNames = ['Insert', 'Update', 'Replace', 'Delete', 'Native'] as const
/** Elements of a transaction. */
type ActionName = (typeof actionNames)[number]

/** An element in its document: its ancestors declare prefixes. */
export interface PlacedElement {
  element: XmlElement
  /** The nearest first. */
  ancestors: readonly XmlElement[]
}

/** A feature of an action. */
interface WrittenFeature extends PlacedElement {
  /** Number of the feature in its action, from 1. */
  number: number
}

/** An action of a transaction, as it was sent. */
export interface WrittenAction extends PlacedElement {
  name: Exclude<ActionName, 'Native'>
  /** Number of the action in the transaction, from 1. */
  number: number
  handle: string | undefined
  /** Features of an Insert or Replace. */
  features: readonly WrittenFeature[]
}

/** A Transaction request, as it was sent. */
export interface WrittenTransaction {
  handle: string | undefined
  lockId: string | undefined
  releaseAction: 'ALL' | 'SOME'
  actions: readonly WrittenAction[]
}

/** Reads a Transaction (OGC 09-025r2, section 15; 04-094, section 12; 02-058, section 11). Throws `OwsFailure`. */
export function readTransaction(root: XmlElement): WrittenTransaction {
  const { attributes, children } = root
  const actions: WrittenAction[] = []
  for (const element of children) {
    if (element.name === 'LockId') continue
    const name = actionNames.find((one) => one === element.name)
    if (name === undefined)
      throw new OwsFailure(
        'OperationParsingFailed',
        `"${element.name.slice(0, 100)}" is not an action: use Insert, Update, Replace or Delete`,
        element.name.slice(0, 100),
      )
    if (name === 'Native') requireIgnorable(element)
    else actions.push(readAction(name, element, root, actions.length + 1))
  }
  const inner = children.find(({ name }) => name === 'LockId')?.text.trim()
  return {
    handle: attributes['handle'],
    lockId: attributes['lockId'] ?? (inner === '' ? undefined : inner),
    releaseAction: readReleaseAction(attributes['releaseAction']),
    actions,
  }
}

/** OGC 09-025r2, section 15.2.7. */
function requireIgnorable({ attributes }: XmlElement): void {
  if (/^(?:true|1)$/.test(attributes['safeToIgnore'] ?? '')) return
  throw new OwsFailure(
    'InvalidParameterValue',
    'Native actions are not supported, and this one is not safe to ignore',
    attributes['handle'] ?? 'Native',
  )
}

function readReleaseAction(text = 'ALL'): 'ALL' | 'SOME' {
  if (text === 'ALL' || text === 'SOME') return text
  throw new OwsFailure(
    'InvalidParameterValue',
    `releaseAction "${text.slice(0, 60)}" is neither ALL nor SOME`,
    'releaseAction',
  )
}

function readAction(
  name: Exclude<ActionName, 'Native'>,
  element: XmlElement,
  root: XmlElement,
  number: number,
): WrittenAction {
  const { attributes } = element
  requireGml(attributes['inputFormat'])
  const idgen = attributes['idgen']
  if (idgen !== undefined && idgen !== 'GenerateNew')
    throw new OwsFailure(
      'InvalidParameterValue',
      `idgen "${idgen.slice(0, 60)}" is not supported: the server assigns the ids (GenerateNew)`,
      'idgen',
    )
  const found = name === 'Insert' || name === 'Replace' ? featuresIn(element, [root]) : []
  if (name === 'Insert' && found.length === 0)
    throw new OwsFailure('OperationParsingFailed', 'An Insert has no feature', attributes['handle'] ?? name)
  if (name === 'Replace' && found.length !== 1)
    throw new OwsFailure(
      'OperationParsingFailed',
      'A Replace has one feature and one Filter',
      attributes['handle'] ?? name,
    )
  const features = found.map((one, at) => ({ ...one, number: at + 1 }))
  return { name, element, ancestors: [root], number, handle: attributes['handle'], features }
}

function requireGml(format: string | undefined): void {
  if (format === undefined || /gml|^(?:text|application)\/xml$/i.test(format)) return
  throw new OwsFailure(
    'InvalidParameterValue',
    `inputFormat "${format.slice(0, 100)}" is not supported: send GML`,
    'inputFormat',
  )
}

/** Elements around the features of a collection. */
const collections = /^(?:FeatureCollection|featureMembers?|members?|Tuple)$/

function featuresIn(parent: XmlElement, ancestors: readonly XmlElement[]): PlacedElement[] {
  const above = [parent, ...ancestors]
  return parent.children.flatMap((element) => {
    if (element.name === 'Filter' || element.name === 'boundedBy') return []
    return collections.test(element.name) ? featuresIn(element, above) : [{ element, ancestors: above }]
  })
}

/** Returns the namespace of the name of an element; undefined if it has none. */
export function namespaceOfElement({ element, ancestors }: PlacedElement): string | undefined {
  return declaredNamespace(element.prefix, [element, ...ancestors])
}

/** Returns the namespace of a prefix, of the default one if there is no prefix. */
export function declaredNamespace(
  prefix: string | undefined,
  places: readonly XmlElement[],
): string | undefined {
  const key = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`
  const declared = places.map(({ attributes }) => attributes[key]).find((one) => one !== undefined)
  return declared === '' ? undefined : declared
}

/** Returns the place of an action for people, and for `locator`. */
export function placeOfAction({ name, number, handle }: WrittenAction): { text: string; locator: string } {
  return { text: `${name} (action ${number})`, locator: handle ?? name }
}
