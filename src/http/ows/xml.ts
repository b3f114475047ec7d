import { escapeXml } from '../../lib/text/escape-xml.ts'

/** An element with a text; nothing where there is none. */
export function textElement(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}
