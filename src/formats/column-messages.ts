import type { Attribute } from '../geo/schema.ts'
import type { FormatMessage } from './format.ts'

/** Maximum number of labels stored per layer: further columns with labels are named in a message. */
const maxLabels = 5000
const shownTexts = 20

/** Descriptive texts of a column in the source. */
export interface ColumnTexts {
  /** Its alias. */
  title?: string
  /** Name of its coded value domain, and the labels. */
  domain?: { name: string; labels: ReadonlyMap<string, string> }
}

/**
 * Adds aliases and labels of coded values to attributes, and messages about them. The values themselves are
 * not changed.
 */
export function withColumnTexts(
  attributes: readonly Attribute[],
  textsOf: (attribute: Attribute) => ColumnTexts,
): { attributes: Attribute[]; messages: FormatMessage[] } {
  const messages: FormatMessage[] = []
  let left = maxLabels
  const described = attributes.map((attribute): Attribute => {
    const { title, domain } = textsOf(attribute)
    const titled = title === undefined || title === attribute.name ? attribute : { ...attribute, title }
    if (domain === undefined || domain.labels.size === 0) return titled
    const isKept = domain.labels.size <= left
    messages.push(isKept ? labelMessage(attribute, domain) : tooMany(attribute, domain))
    if (!isKept) return titled
    left -= domain.labels.size
    return { ...titled, labels: Object.fromEntries(domain.labels) }
  })
  return { attributes: described, messages: [...aliasMessages(described), ...messages] }
}

function aliasMessages(attributes: readonly Attribute[]): FormatMessage[] {
  const titled = attributes.filter(({ title }) => title !== undefined)
  if (titled.length === 0) return []
  const shown = titled.slice(0, shownTexts).map(({ name, title }) => `"${name}" is "${title}"`)
  const rest = titled.length > shown.length ? ` and ${titled.length - shown.length} more` : ''
  const message = `Columns have aliases, which are the titles of the attributes: ${shown.join(', ')}${rest}`
  return [{ level: 'info', code: 'column-aliases', message }]
}

function labelMessage({ name }: Attribute, domain: NonNullable<ColumnTexts['domain']>): FormatMessage {
  const shown = [...domain.labels].slice(0, shownTexts).map(([code, label]) => `${code} = ${label}`)
  const rest = domain.labels.size > shown.length ? ` and ${domain.labels.size - shown.length} more` : ''
  const message = `Column "${name}" holds codes of the domain "${domain.name}": ${shown.join(', ')}${rest}. A CodedValueLabelTransform of the field loads the labels as a second column`
  return { level: 'info', code: 'column-labels', message }
}

function tooMany({ name }: Attribute, domain: NonNullable<ColumnTexts['domain']>): FormatMessage {
  const message = `The ${domain.labels.size} labels of the domain "${domain.name}" of column "${name}" are not offered: at most ${maxLabels} are kept of a layer`
  return { level: 'warning', code: 'column-labels', message }
}

/** Returns a message that curves and surfaces are converted. */
export function curvesMessage(column: string, count: number): FormatMessage {
  const message = `${count} geometries of "${column}" are curves or surfaces: they are read as lines and polygons, arcs as lines of at most four degrees`
  return { level: 'warning', code: 'curves-linearized', message }
}
