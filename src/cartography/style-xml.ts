import { invalid } from '../lib/errors.ts'
import type { XmlElement } from '../lib/text/xml-tree.ts'
import { readXmlTree } from '../lib/text/xml-tree.ts'

const limits = { maxDepth: 100, maxElements: 100_000 }

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function refuse(why: string): never {
  throw invalid('invalid-style', `The style document ${why}`)
}

/**
 * The first element of a style document, names without their prefix; throws `Failure` (`invalid`) for a broken one, one
 * with a DOCTYPE, or a huge one.
 */
export function parseStyleXml(text: string): XmlElement {
  const root = readXmlTree(text.replace(/^\uFEFF/, ''), {
    ...limits,
    nameOf: localName,
    onDoctype: () => refuse('has a DOCTYPE, which is not accepted'),
    onBroken: (error) => refuse(`is not well-formed XML: ${error.message}`),
    onTooLarge: () => refuse('is nested too deep or has too many elements'),
  })
  return root.children[0] ?? refuse('is empty')
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((one) => one.name === name)
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((one) => one.name === name) ?? []
}

/** The text of a child element, trimmed; undefined where there is none. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = child(element, name)?.text.trim()
  return text === undefined || text === '' ? undefined : text
}
