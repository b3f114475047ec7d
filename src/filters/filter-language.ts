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
