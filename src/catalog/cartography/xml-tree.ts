import { SaxesParser } from 'saxes'
import { invalid } from '../../lib/errors.ts'

/** An element without its namespace: names are the local ones. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

const maxDepth = 100
const maxElements = 100_000

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Reads a small XML document; throws `Failure` (`invalid`) for a broken one, one with a DOCTYPE, or a huge one. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let count = 0
  const parser = new SaxesParser()
  parser.on('doctype', () => {
    throw invalid('invalid-style', 'The style document has a DOCTYPE, which is not accepted')
  })
  parser.on('error', (error) => {
    throw invalid('invalid-style', `The style document is not well-formed XML: ${error.message}`)
  })
  parser.on('opentag', (tag) => {
    count += 1
    if (open.length > maxDepth || count > maxElements) {
      throw invalid('invalid-style', 'The style document is nested too deep or has too many elements')
    }
    const attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([name, value]) => [localName(name), String(value)]),
    )
    const element = { name: localName(tag.name), attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  const addText = (piece: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => open.pop())
  parser.write(text.replace(/^\uFEFF/, '')).close()
  const [first] = root.children
  if (first === undefined) throw invalid('invalid-style', 'The style document is empty')
  return first
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
