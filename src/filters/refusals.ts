import type { Failure } from '../lib/errors.ts'
import { invalid } from '../lib/errors.ts'

/** A filter that is not of its notation, or compares what cannot be compared. */
export function invalidFilter(message: string): Failure {
  return invalid('invalid-filter', message)
}

/** A filter that is right but asks for what is not offered. */
export function unsupportedFilter(message: string): Failure {
  return invalid('unsupported-filter', message)
}
