import { parseCql2Json } from './cql2-json.ts'
import { parseCql2Text } from './cql2-text.ts'
import type { Expression } from './expression.ts'
import type { FilterLimits } from './filter-size.ts'

/** Language of the parameter `filter`. */
export interface FilterLanguage {
  /** Value of `filter-lang`. Never changed once it was used. */
  name: string
  /**
   * Parses a filter. Throws `invalid-filter` for a syntax error and for a filter that exceeds `limits`
   * (`requireFilterSize`), `unsupported-filter` for a valid filter with unsupported parts.
   */
  parse(filter: string, limits?: FilterLimits): Expression
  /** The filter `name = 'Ulm' AND size > 100`, for the contract test. */
  example: string
}

/** The registry. The first language is the default. */
export const filterLanguages: readonly [FilterLanguage, ...FilterLanguage[]] = [
  { name: 'cql2-text', parse: parseCql2Text, example: "name = 'Ulm' AND size > 100" },
  {
    name: 'cql2-json',
    parse: parseCql2Json,
    example: JSON.stringify({
      op: 'and',
      args: [
        { op: '=', args: [{ property: 'name' }, 'Ulm'] },
        { op: '>', args: [{ property: 'size' }, 100] },
      ],
    }),
  },
]
