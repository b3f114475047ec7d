import { SaxesParser } from 'saxes'

/** An element with its attributes, child elements and text, in document order. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
  /** Prefix of the name, if `nameOf` removes it. */
  prefix?: string
}

/** Element name of text nodes, if the caller requests text nodes. */
export const textNode = '#text'

/** Limits of a document, and callbacks that throw if it violates them. */
export interface XmlTreeOptions {
  maxDepth: number
  maxElements?: number
  /** Maximum per element. */
  maxAttributes?: number
  /** Returns the names of elements and attributes; default: as written, with prefix. */
  nameOf?(name: string): string
  /** Called for a DOCTYPE; throws to refuse the document. Entities are never expanded. */
  onDoctype?(): void
  /** Called if the text is not well-formed. */
  onBroken(error: Error): never
  /**
   * Called if the document exceeds a limit. `line` is the line of the first element or attribute beyond the
   * limit.
   */
  onTooLarge(limit: 'depth' | 'elements' | 'attributes', line: number): never
  /** Includes text nodes among the children, as elements named `textNode`. */
  keepsTexts?: true
}

/** Parses a small XML document. Returns an element whose only child element is the root element. */
export function readXmlTree(text: string, options: XmlTreeOptions): XmlElement {
  const { maxDepth, maxElements = Number.POSITIVE_INFINITY, nameOf = (name) => name } = options
  const { maxAttributes = Number.POSITIVE_INFINITY } = options
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let count = 0
  const parser = new SaxesParser()
  parser.on('doctype', () => options.onDoctype?.())
  parser.on('error', options.onBroken)
  let attributeCount = 0
  parser.on('opentagstart', () => {
    attributeCount = 0
  })
  parser.on('attribute', () => {
    attributeCount += 1
    if (attributeCount > maxAttributes) options.onTooLarge('attributes', parser.line)
  })
  parser.on('opentag', (tag) => {
    count += 1
    if (open.length > maxDepth) options.onTooLarge('depth', parser.line)
    if (count > maxElements) options.onTooLarge('elements', parser.line)
    const attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([name, value]) => [nameOf(name), String(value)]),
    )
    const element: XmlElement = { name: nameOf(tag.name), attributes, children: [], text: '' }
    const colon = tag.name.indexOf(':')
    if (colon > 0 && element.name.length < tag.name.length) element.prefix = tag.name.slice(0, colon)
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  const addText = (piece: string): void => {
    const element = open.at(-1)
    if (element === undefined) return
    element.text += piece
    if (options.keepsTexts === true && piece.trim() !== '')
      element.children.push({ name: textNode, attributes: {}, children: [], text: piece })
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => open.pop())
  parser.write(text).close()
  return root
}
