import type { Expression } from './expression.ts'
import { call, conjunction } from './expression.ts'
import type { FilterLanguage } from './filter-language.ts'
import { defaultFilterLimits, invalidFilter, requireFilterSize } from './filter-size.ts'

/** An attribute, a colon, an operator (absent: equal) and a value, in quotes if it has spaces. */
const term = /\s*([\p{L}\p{N}_]+):(>=|<=|>|<)?("[^"]*"|[^\s"]+)(?=\s|$)/uy

function parseValue(text: string): Expression {
  if (/^-?\d+(\.\d+)?$/.test(text)) return { kind: 'number', digits: text }
  return { kind: 'text', value: text.replace(/^"(.*)"$/, '$1') }
}

/** Terms such as `name:Ulm size:>100`, joined by AND. */
export const fieldTerms: FilterLanguage = {
  name: 'field-terms',
  parse: (filter, limits = defaultFilterLimits) => {
    const terms: Expression[] = []
    const text = filter.trimEnd()
    for (let at = 0; at < text.length; at = term.lastIndex) {
      term.lastIndex = at
      const [, name = '', operator = '=', value] = term.exec(text) ?? []
      if (value === undefined)
        throw invalidFilter(`The filter has no term such as name:value at character ${at + 1}`)
      terms.push(call(operator, { kind: 'property', name }, parseValue(value)))
    }
    const written = conjunction(terms)
    requireFilterSize(written, limits)
    return written
  },
  example: 'name:Ulm size:>100',
}
