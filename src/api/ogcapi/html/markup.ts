import { escapeHtml } from '../../../core/text/escape.ts'

/** Text that means HTML: made by `html` alone, so all that others wrote is escaped in it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values allowed in a template: text is escaped, absent values are empty. */
export type Part = Markup | string | number | undefined | false | readonly Part[]

/** HTML of a template: what is put in is escaped, attributes included, where it is not HTML itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = strings[0] ?? ''
  for (const [index, part] of parts.entries()) text += textOf(part) + (strings[index + 1] ?? '')
  return new Markup(text)
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escapeHtml(harmless(String(part)))
}

/**
 * Characters that HTML does not allow: control characters other than tab and line ends, and noncharacters.
 */
const controls = /[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu

function harmless(text: string): string {
  return text.toWellFormed().replace(controls, '\ufffd')
}

/** Embeds data for programs in a page; escapes what would end the element. */
export function dataBlock(mediaType: string, data: unknown): Markup {
  const text = JSON.stringify(data)
    .toWellFormed()
    .replace(/[<>&\u2028\u2029]/g, codeOf)
  return new Markup(`<script type="${escapeHtml(mediaType)}">${text}</script>`)
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
