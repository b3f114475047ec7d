import { SaxesParser } from 'saxes'

const maxDepth = 50

interface Element {
  name: string
  fields: Record<string, unknown>
  text: string
}

/**
 * An XML document in the shape that the same data have in JSON: an element with others inside or with attributes is an
 * object (attributes with `@` in front), repeated elements are a list, any other element is its text. Throws where the
 * text is no XML. Entities are not expanded.
 */
export function readXmlRecord(xml: string): Record<string, unknown> {
  const root: Element = { name: '', fields: {}, text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > maxDepth) throw new Error('Its elements are nested too deep')
    const fields = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`@${key}`, value]))
    open.push({ name, fields, text: '' })
  })
  const addText = (text: string): void => {
    const last = open.at(-1)
    if (last !== undefined) last.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const closed = open.pop()
    const parent = open.at(-1)
    if (closed !== undefined && parent !== undefined) put(parent.fields, closed)
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
  return root.fields
}

function put(fields: Record<string, unknown>, { name, fields: inside, text }: Element): void {
  const value = Object.keys(inside).length === 0 ? text : inside
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (before === undefined) {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true })
  } else if (Array.isArray(before)) before.push(value)
  else fields[name] = [before, value]
}
