import type { XmlElement } from '../../core/text/xml-tree.ts'
import type { Expression } from '../expression.ts'
import { invalidFilter, unsupportedFilter } from '../filter-size.ts'

/** Reads a GML time or period (ISO 19136, section 14), or the text of one in a Literal. */
export function readGmlTime(element: XmlElement): Expression {
  const { name, children } = element
  if (name === 'Literal') {
    const [only] = children
    return only === undefined ? momentOf(element) : readGmlTime(only)
  }
  if (name === 'TimeInstant') return momentOf(onlyPart(element, ['timePosition']))
  if (name !== 'TimePeriod')
    throw unsupportedFilter(`"${name.slice(0, 100)}" is not supported as a time in filters`)
  return {
    kind: 'interval',
    from: endOf(element, ['beginPosition', 'begin']),
    to: endOf(element, ['endPosition', 'end']),
  }
}

function onlyPart({ name, children }: XmlElement, names: readonly string[]): XmlElement {
  const part = children.find((one) => names.includes(one.name))
  if (part !== undefined) return part
  throw invalidFilter(`"${name}" has no ${names.join(' and no ')}`)
}

function endOf(period: XmlElement, names: readonly string[]): Expression {
  const end = onlyPart(period, names)
  if (end.name.endsWith('Position')) return momentOf(end)
  const instant = onlyPart(end, ['TimeInstant'])
  return momentOf(onlyPart(instant, ['timePosition']))
}

/** A day, or a moment, which is in UTC where it names no zone; an end that is not known is open. */
function momentOf({ text, attributes }: XmlElement): Expression {
  const indeterminate = attributes['indeterminatePosition']
  const trimmed = text.trim()
  if (trimmed === '' && indeterminate !== undefined && indeterminate !== 'now') return { kind: 'open' }
  if (indeterminate !== undefined)
    throw unsupportedFilter(`Times of a filter are not "${indeterminate.slice(0, 60)}"`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return { kind: 'date', text: trimmed }
  return { kind: 'timestamp', text: /(?:Z|[+-]\d{2}:\d{2})$/.test(trimmed) ? trimmed : `${trimmed}Z` }
}
