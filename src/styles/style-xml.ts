import { invalid } from '../core/errors/errors.ts'
import { escapeXml } from '../core/text/escape.ts'
import type { XmlElement } from '../core/text/xml-tree.ts'
import { readXmlTree, textNode } from '../core/text/xml-tree.ts'

/** Limits for the XML of a style. */
export interface StyleXmlLimits {
  elements: number
  attributes: number
  depth: number
}

const defaultLimits: StyleXmlLimits = { elements: 100_000, attributes: 200, depth: 100 }

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function refuse(why: string): never {
  throw invalid('invalid-style', `The style document ${why}`)
}

/**
 * Throws `Failure` (`invalid-style`) if a document has another root element, or an unexpected DOCTYPE. Does not
 * read the rest of the document.
 */
export function checkXmlStyle(
  document: string,
  root: string,
  { takesDoctype = false }: { takesDoctype?: boolean } = {},
): void {
  if (!takesDoctype && /<!DOCTYPE|<!ENTITY/i.test(document)) refuse('has a DOCTYPE, which is not accepted')
  const [, found] =
    /<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]/.exec(document.replace(/<!--[\s\S]*?-->/g, '')) ?? []
  if (found === root && /^\s*</.test(document.replace(/^\uFEFF/, ''))) return
  refuse(`is XML with the root element ${root}, found ${found ?? 'none'}`)
}

/**
 * Returns the root element of a style document, names without prefix; throws `Failure` (`invalid`) for a
 * malformed document, one with an unexpected DOCTYPE, or one that is too large. Entities are never expanded.
 */
export function parseStyleXml(
  text: string,
  { takesDoctype = false, limits = defaultLimits }: { takesDoctype?: boolean; limits?: StyleXmlLimits } = {},
): XmlElement {
  const { elements, attributes, depth } = limits
  const reasons = {
    depth: `is nested deeper than ${depth} elements`,
    elements: `has more than ${elements} elements: the first beyond stands`,
    attributes: `has an element with more than ${attributes} attributes`,
  }
  const root = readXmlTree(text.replace(/^\uFEFF/, ''), {
    maxDepth: depth,
    maxElements: elements,
    maxAttributes: attributes,
    keepsTexts: true,
    nameOf: localName,
    onDoctype: () => takesDoctype || refuse('has a DOCTYPE, which is not accepted'),
    onBroken: (error) => refuse(`is not well-formed XML: ${error.message}`),
    onTooLarge: (limit, line) => refuse(`${reasons[limit]} in line ${line}`),
  })
  return elementsOf(root)[0] ?? refuse('is empty')
}

/** Returns the child elements of an element, without the texts between them. */
export function elementsOf(styleElement: XmlElement | undefined): XmlElement[] {
  return styleElement?.children.filter(({ name }) => name !== textNode) ?? []
}

export function childElement(styleElement: XmlElement | undefined, name: string): XmlElement | undefined {
  return styleElement?.children.find((one) => one.name === name)
}

export function childrenOf(styleElement: XmlElement | undefined, name: string): XmlElement[] {
  return styleElement?.children.filter((one) => one.name === name) ?? []
}

/** Returns the text of a child element, trimmed; undefined if there is none. */
export function styleText(styleElement: XmlElement | undefined, name: string): string | undefined {
  const text = childElement(styleElement, name)?.text.trim()
  return text === undefined || text === '' ? undefined : text
}

/** Writes an element whose content is already XML. */
export function styleElement(name: string, ...content: string[]): string {
  return `<${name}>${content.join('')}</${name}>`
}

/** Writes an element with a text; an empty text if there is no value. */
export function styleTextElement(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : styleElement(name, escapeXml(String(value)))
}

/** Writes attributes, except those without a value. */
export function attributes(values: Record<string, string | number | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeXml(String(value))}"`))
    .join('')
}
