import type { Failure } from '../lib/errors.ts'
import { invalid } from '../lib/errors.ts'

/** The error for a filter with a syntax error, or with a comparison of incompatible values. */
export function invalidFilter(message: string): Failure {
  return invalid('invalid-filter', message)
}

/** The error for a valid filter with unsupported parts. */
export function unsupportedFilter(message: string): Failure {
  return invalid('unsupported-filter', message)
}
