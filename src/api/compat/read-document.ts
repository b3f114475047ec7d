import { Failure, invalid } from '../../core/errors/errors.ts'
import type { XmlElement } from '../../core/text/xml-tree.ts'
import { readXmlTree } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { itemNames } from './document-members.ts'

/** Limits on XML documents. */
interface DocumentLimits {
  elements: number
  /** Attributes of one element. */
  attributes: number
  depth: number
}

/** A JSON schema, as TypeBox writes it. */
type Schema = Readonly<Record<string, unknown>>

/**
 * Returns an XML document of GeoServer's REST API as the value that its JSON has: the root element is the only member. The
 * schema of the JSON body tells lists, numbers and flags; what it does not know stays in the value and is ignored like unknown
 * members of JSON. Throws `Failure` (`invalid`) for another root element.
 */
export function readDocument(root: XmlElement, schema: object): unknown {
  const documents = branchesOf(schema as Schema).flatMap((one) => Object.entries(propertiesOf(one) ?? {}))
  const known = documents.filter(([name]) => name === root.name).map(([, member]) => member)
  if (known.length > 0) return { [root.name]: toValue([root], { anyOf: known }) }
  const names = [...new Set(documents.map(([name]) => `<${name}>`))]
  throw invalid(
    'invalid-body',
    `The root element is <${root.name.slice(0, 80)}>; taken here: ${names.join(', ')}`,
  )
}

/**
 * Reads XML without DOCTYPE and entities; names without their prefix. Throws `Failure` for XML that is beyond the limits or not
 * well-formed.
 */
export function parseXml(text: string, { elements, attributes, depth }: DocumentLimits): XmlElement {
  const root = readXmlTree(text.replace(/^\uFEFF/, ''), {
    maxDepth: depth,
    maxElements: elements,
    maxAttributes: attributes,
    nameOf: localName,
    onDoctype: () => {
      throw malformed('has a DOCTYPE, which is not accepted')
    },
    onBroken: (error) => {
      throw malformed(`is not well-formed: ${error.message.slice(0, 300)}`)
    },
    onTooLarge: (limit) => {
      if (limit === 'depth')
        throw new Failure('tooLarge', 'body-too-deep', `The body is nested deeper than ${depth} levels`)
      if (limit === 'elements')
        throw new Failure('tooLarge', 'body-too-wide', `The body has more than ${elements} elements`)
      throw new Failure(
        'tooLarge',
        'body-too-wide',
        `The body has an element with more than ${attributes} attributes`,
      )
    },
  })
  const [first] = root.children
  if (first === undefined) throw malformed('is empty')
  return first
}

function malformed(reason: string): Failure {
  return invalid('malformed-xml', `The XML of the body ${reason}`)
}

function localName(name: string): string {
  return name.startsWith('xmlns:') ? name : name.slice(name.indexOf(':') + 1)
}

/** Returns the alternatives of a schema: itself, or each of a union. */
function branchesOf(schema: Schema): Schema[] {
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    Array.isArray(schema[key]) ? (schema[key] as Schema[]) : [],
  )
  return choices.length === 0 ? [schema] : choices.flatMap(branchesOf)
}

function propertiesOf({ properties }: Schema): Readonly<Record<string, Schema>> | undefined {
  return properties as Readonly<Record<string, Schema>> | undefined
}

/** Returns the value of the elements of one name, of which a schema may allow several. */
function toValue(elements: readonly XmlElement[], schema: Schema): unknown {
  const branches = branchesOf(schema)
  const list = branches.find(({ type }) => type === 'array')
  const others = branches.filter((one) => one !== list)
  const [first] = elements
  const only = elements.length === 1 ? first : undefined
  if (list === undefined || others.length > 0) {
    if (only !== undefined) return toSingle(only, others)
    if (list === undefined) return elements.map((one) => toSingle(one, others))
  }
  const isWrapped = only !== undefined && ownValue(itemNames, only.name) !== undefined
  return (isWrapped ? only.children : elements).map((one) => toValue([one], (list.items ?? {}) as Schema))
}

function toSingle(element: XmlElement, branches: readonly Schema[]): unknown {
  const objects = branches.filter(({ type }) => type === 'object')
  const isLeaf = element.children.length === 0
  const hasAttributes = Object.keys(attributesOf(element)).length > 0
  if (objects.length > 0 && (!isLeaf || hasAttributes || objects.length === branches.length))
    return toObject(element, objects)
  return isLeaf ? toLeaf(element.text.trim(), branches) : toPlain(element)
}

function toObject(element: XmlElement, branches: readonly Schema[]): unknown {
  const known = branches.map((one) => propertiesOf(one) ?? {})
  const groups = Map.groupBy(element.children, ({ name }) => name)
  const members = [...groups].map(([name, elements]): [string, unknown] => {
    const schemas = known.flatMap((one) => ownValue(one, name) ?? [])
    return [name, schemas.length === 0 ? toPlainList(elements) : toValue(elements, { anyOf: schemas })]
  })
  const attributes = Object.entries(attributesOf(element)).filter(
    ([name]) => name !== '@class' || known.some((one) => ownValue(one, name) !== undefined),
  )
  return Object.fromEntries([...attributes, ...members])
}

/** Returns the value of an element that no schema describes, in the form of GeoServer's JSON. */
function toPlain(element: XmlElement): unknown {
  const attributes = attributesOf(element)
  const text = element.text.trim()
  if (element.children.length === 0)
    return Object.keys(attributes).length === 0 ? text : { ...attributes, $: text }
  const groups = Map.groupBy(element.children, ({ name }) => name)
  const members = [...groups].map(([name, elements]) => [name, toPlainList(elements)])
  return { ...attributes, ...Object.fromEntries(members) }
}

function toPlainList(elements: readonly XmlElement[]): unknown {
  const values = elements.map(toPlain)
  return values.length === 1 ? values[0] : values
}

/** Returns the attributes as members `@name`, without declarations of namespaces. */
function attributesOf({ attributes }: XmlElement): Record<string, string> {
  const entries = Object.entries(attributes).filter(([name]) => !/^xmlns(:|$)/.test(name))
  return Object.fromEntries(entries.map(([name, value]) => [`@${name}`, value]))
}

/** Returns a text as the flag or number that a schema allows; otherwise the text. */
function toLeaf(text: string, branches: readonly Schema[]): unknown {
  const types = new Set(branches.map(({ type }) => type))
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  const isNumber = (types.has('number') || types.has('integer')) && /^[+-]?\d+(?:\.\d+)?$/.test(text)
  return isNumber ? Number(text) : text
}
