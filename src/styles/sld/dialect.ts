import { attributes, styleElement, styleTextElement } from '../style-xml.ts'

/** The versions of Styled Layer Descriptor that are written. */
export const sldVersions = ['1.0.0', '1.1.0'] as const
export type SldVersion = (typeof sldVersions)[number]

/** Names that differ between SLD 1.0 and SLD 1.1 with the symbols of SE 1.1. */
export interface SldDialect {
  version: SldVersion
  /** The symbols are those of SE 1.1. */
  isSe: boolean
  escapeAttribute: 'escape' | 'escapeChar'
  /** Returns the name of an element of a symbol. */
  name(local: string): string
  parameter(name: string, content: string): string
  titles(values: { title?: string; abstract?: string }): string
}

const oldDialect: SldDialect = {
  version: '1.0.0',
  isSe: false,
  escapeAttribute: 'escape',
  name: (local) => local,
  parameter: (name, content) => `<CssParameter${attributes({ name })}>${content}</CssParameter>`,
  titles: ({ title, abstract }) => styleTextElement('Title', title) + styleTextElement('Abstract', abstract),
}

const newDialect: SldDialect = {
  version: '1.1.0',
  isSe: true,
  escapeAttribute: 'escapeChar',
  name: (local) => `se:${local}`,
  parameter: (name, content) => `<se:SvgParameter${attributes({ name })}>${content}</se:SvgParameter>`,
  titles: ({ title, abstract }) => {
    const content = styleTextElement('se:Title', title) + styleTextElement('se:Abstract', abstract)
    return content === '' ? '' : styleElement('se:Description', content)
  },
}

export function dialectOf(version: SldVersion): SldDialect {
  return version === '1.0.0' ? oldDialect : newDialect
}
