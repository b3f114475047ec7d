import { Failure } from '../../../../core/errors/errors.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { WfsVersion } from '../wfs-version.ts'
import type { WrittenAction } from './transaction-request.ts'
import { placeOfAction } from './transaction-request.ts'

/** Failures of values that a client sent. */
const valueFailures = new Set(['invalid-property', 'invalid-geometry', 'invalid-feature', 'malformed-json'])

const statusOfKind: Partial<Record<Failure['kind'], number>> = {
  invalid: 400,
  notFound: 404,
  conflict: 409,
  forbidden: 403,
}

/**
 * Returns the exception of a refused action: its `locator` is the handle of the action, its text names the
 * action, the feature and the reason. Other errors stay as they are.
 */
export function refusedAction(
  error: unknown,
  action: WrittenAction,
  version: WfsVersion,
  feature?: string,
): unknown {
  const { text, locator } = placeOfAction(action)
  const place = feature === undefined ? text : `${text}, ${feature}`
  if (error instanceof OwsFailure)
    return new OwsFailure(
      error.code,
      `${place}: ${error.message}`,
      action.handle ?? error.locator ?? locator,
      error.status,
    )
  if (!(error instanceof Failure)) return error
  const status = statusOfKind[error.kind]
  if (status === undefined) return error
  const message = error.errors.length > 1 ? error.errors.join('; ') : error.message
  return new OwsFailure(codeOf(error, version), `${place}: ${message}`, locator, status)
}

/** OGC 09-025r2, table 3; 1.1 has only the codes of OWS Common. */
function codeOf({ code, kind }: Failure, version: WfsVersion): string {
  if (code === 'unsupported-filter') return 'OperationNotSupported'
  if (valueFailures.has(code)) return version === '2.0.0' ? 'InvalidValue' : 'InvalidParameterValue'
  if (kind === 'invalid') return 'InvalidParameterValue'
  return version === '2.0.0' ? 'OperationProcessingFailed' : 'NoApplicableCode'
}
