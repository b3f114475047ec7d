import type { Envelope } from '../../geo/envelope.ts'

/** Further properties of a field. */
interface OgrField {
  name: string
  alias?: string
  /** The name of its domain. */
  domain?: string
}

/** Output of `ogrinfo -so` about one layer. */
export interface OgrLayer {
  name: string
  featureCount?: number
  envelope?: Envelope
  /** WKT 2. */
  wkt?: string
  /** The name of its first field. */
  firstField?: string
  /** The source column with the feature ids. */
  fidColumn?: string
  /** Fields that have an alias or a domain. */
  fields?: OgrField[]
}

const number = '(-?[\\d.]+(?:e[+-]?\\d+)?)'
const extentForm = new RegExp(`^Extent: \\(${number}, ${number}\\) - \\(${number}, ${number}\\)$`, 'm')

const fieldForm = /^(.+?): [A-Z]\w*(?:\(\w+\))? \(\d+\.\d+\)(.*)$/gm
const aliasForm = /, alternative name="(.*?)"(?=, domain name=|, comment=|$)/
const domainForm = /, domain name=(.*?)(?=, comment=|$)/

function parseFields(part: string): OgrField[] {
  return [...part.matchAll(fieldForm)].flatMap(([, name = '', facts = '']): OgrField[] => {
    const alias = aliasForm.exec(facts)?.[1]
    const domain = domainForm.exec(facts.replace(aliasForm, ''))?.[1]
    return alias === undefined && domain === undefined ? [] : [{ name, alias, domain }]
  })
}

/**
 * Returns the coded values in the output of `ogrinfo -fielddomain`, with their labels; undefined for another
 * kind of domain.
 */
export function parseCodedValues(text: string): Map<string, string> | undefined {
  const from = /^ {2}Coded values:\n/m.exec(text)
  if (from === null) return undefined
  const values = new Map<string, string>()
  for (const line of text.slice(from.index + from[0].length).split('\n')) {
    if (!line.startsWith('    ')) break
    const [, code = line.slice(4), label] = /^ {4}(.*?): (.*)$/.exec(line) ?? []
    if (label !== undefined) values.set(code, label)
  }
  return values
}

/** Returns the layers in the output of `ogrinfo -so -al`. */
export function parseOgrInfo(text: string): OgrLayer[] {
  return text
    .split(/^Layer name: /m)
    .slice(1)
    .map((part) => {
      const name = part.slice(0, part.indexOf('\n'))
      const count = /^Feature Count: (\d+)$/m.exec(part)?.[1]
      const extent = extentForm.exec(part)?.slice(1).map(Number)
      const wkt = /^Layer SRS WKT:\n([\s\S]*?)\n(?:Data axis|[^\s[\]]+: )/m.exec(part)?.[1]
      const firstField = /^(.+): [A-Z]\w*(?:\(\w+\))? \(\d+\.\d+\)/m.exec(part)?.[1]
      const fidColumn = /^FID Column = (.+)$/m.exec(part)?.[1]
      const layer: OgrLayer = { name }
      if (fidColumn !== undefined) layer.fidColumn = fidColumn
      const fields = parseFields(part)
      if (fields.length > 0) layer.fields = fields
      if (firstField !== undefined) layer.firstField = firstField
      if (count !== undefined) layer.featureCount = Number(count)
      if (wkt !== undefined && !wkt.startsWith('(unknown)')) layer.wkt = wkt
      const [minX, minY, maxX, maxY] = extent ?? []
      if (minX !== undefined && minY !== undefined && maxX !== undefined && maxY !== undefined) {
        layer.envelope = { minX, minY, maxX, maxY }
      }
      return layer
    })
}
