import type { Failure } from '../lib/errors.ts'
import { invalid } from '../lib/errors.ts'

/** The standard behind `/ogc` has them refused (OGC 17-069r4, /req/core/query-param-unknown). */
export function unknownParameters(names: readonly string[]): Failure {
  const shown = names.map((name) => `"${name.toWellFormed()}"`)
  const plural = names.length === 1 ? 'parameter' : 'parameters'
  return invalid('unknown-parameter', `There is no ${plural} ${shown.join(', ')} here`, {
    errors: shown.map((name) => `There is no parameter ${name} here`),
  })
}
