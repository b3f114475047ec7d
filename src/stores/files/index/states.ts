import { Failure } from '../../../lib/errors.ts'

/** The code of the failure that an index has to be made before rows can be read. */
export const indexMissing = 'layer-not-indexed'

/** There is no index, or it is that of another state of the file. */
export function notIndexed(): Failure {
  return new Failure(
    'unavailable',
    indexMissing,
    'The file of this layer is new or has changed: its index is being made, ask again in a moment',
    { retryAfterSeconds: 5 },
  )
}

/** An answer ends here: what follows would be of another state of the file. */
export function rowsChanged(): Failure {
  return new Failure('unavailable', 'file-changed', 'The file of this layer changed while it was read')
}
