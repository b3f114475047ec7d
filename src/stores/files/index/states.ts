import { Failure } from '../../../lib/errors.ts'

/** Code of the failure that an index must be built before rows can be read. */
export const indexMissing = 'layer-not-indexed'

/** The error for a missing or outdated index. */
export function notIndexed(): Failure {
  return new Failure(
    'unavailable',
    indexMissing,
    'The file of this layer is new or has changed: its index is being made, ask again in a moment',
    { retryAfterSeconds: 5 },
  )
}

/** Ends a response: further rows would be from another state of the file. */
export function rowsChanged(): Failure {
  return new Failure('unavailable', 'file-changed', 'The file of this layer changed while it was read')
}
