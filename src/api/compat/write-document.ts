import { escapeXml } from '../../core/text/escape.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { itemNames, linkNames } from './document-members.ts'

const atom = 'http://www.w3.org/2005/Atom'
const elementName = /^[A-Za-z_][\w.-]*$/

/**
 * Returns a JSON document as the XML that GeoServer has for it: the only member is the root element, members `@name` are
 * attributes, `$` is the text, and addresses are links of Atom. Undefined for a value that has no root.
 */
export function writeDocument(document: unknown): string | undefined {
  if (!isObject(document)) return undefined
  const [[name, value] = [], ...others] = Object.entries(document).filter(([, one]) => one !== undefined)
  if (name === undefined || others.length > 0 || !elementName.test(name)) return undefined
  // The address of the document itself is not in it.
  const content = isObject(value) ? Object.fromEntries(withoutHref(value)) : value
  return writeMember(name, content)
}

function withoutHref(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([name]) => name !== 'href')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function writeMember(name: string, value: unknown): string {
  if (value === undefined || value === null || !elementName.test(name)) return ''
  if (Array.isArray(value)) {
    const item = ownValue(itemNames, name)
    if (item === undefined) return value.map((one) => writeMember(name, one)).join('')
    return around(name, '', value.map((one) => writeMember(item, one)).join(''))
  }
  if (isObject(value)) return writeObject(name, value)
  const text = String(value)
  return around(name, '', linkNames.has(name) && /^https?:/.test(text) ? atomLink(text) : escapeXml(text))
}

function writeObject(name: string, value: Record<string, unknown>): string {
  const attributes: string[] = []
  const content: string[] = []
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined || one === null) continue
    if (key.startsWith('@') && elementName.test(key.slice(1)))
      attributes.push(` ${key.slice(1)}="${escapeXml(String(one))}"`)
    else if (key === '$') content.push(escapeXml(String(one)))
    else if (key === 'href') content.push(atomLink(String(one)))
    else content.push(writeMember(key, one))
  }
  return around(name, attributes.join(''), content.join(''))
}

function around(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`
}

/** A link to the XML of another document. */
function atomLink(href: string): string {
  const address = href.replace(/(?=\?|$)/, '.xml')
  return `<atom:link xmlns:atom="${atom}" rel="alternate" href="${escapeXml(address)}" type="application/xml"/>`
}
