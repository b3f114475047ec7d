import type { XmlElement } from '../../../core/text/xml-tree.ts'
import { readXmlTree } from '../../../core/text/xml-tree.ts'

const maxDepth = 50

/**
 * Parses an XML document to the structure that the same data have in JSON: an element with child elements or
 * attributes becomes an object (attribute names get the prefix `@`), repeated elements become an array, other
 * elements become their text. Throws if the text is not XML. Entities are not expanded.
 */
export function readXmlRecord(xml: string): Record<string, unknown> {
  const root = readXmlTree(xml, {
    maxDepth,
    onBroken: (error) => {
      throw error
    },
    onTooLarge: () => {
      throw new Error('Its elements are nested too deep')
    },
  })
  return fieldsOf(root)
}

function fieldsOf({ attributes, children }: XmlElement): Record<string, unknown> {
  const fields = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`@${key}`, value]))
  for (const child of children) put(fields, child)
  return fields
}

function put(fields: Record<string, unknown>, element: XmlElement): void {
  const { name, attributes, children, text } = element
  const isPlain = children.length === 0 && Object.keys(attributes).length === 0
  const value = isPlain ? text : fieldsOf(element)
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (before === undefined) {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true })
  } else if (Array.isArray(before)) before.push(value)
  else fields[name] = [before, value]
}
