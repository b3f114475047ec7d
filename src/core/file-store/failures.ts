import { Failure } from '../errors/errors.ts'
import { findFullDisk } from '../files/full-disk.ts'

const retryAfterSeconds = 5

/** Returns the failure for a file store that does not respond or refuses a request. */
export function filesUnavailable(cause: unknown): Failure {
  const text =
    'The store of files cannot be reached, or refuses: this file cannot be read or written now, try again soon'
  return new Failure('unavailable', 'files-unavailable', text, { cause, retryAfterSeconds })
}

/** Returns the failure for a file that is in the catalogue but missing in the file store. */
export function fileMissing(cause?: unknown): Failure {
  const text = 'The store of files has lost this file: its operator must restore it'
  return new Failure('unavailable', 'file-missing', text, { cause })
}

/** Returns the failure for a scratch folder that is filled by files in use. */
export function scratchFull(): Failure {
  const text =
    'The local copies of files in use need more than the limit (TERRANE_MAX_SCRATCH): try again when other work has ended'
  return new Failure('unavailable', 'scratch-full', text, { retryAfterSeconds })
}

/** Returns the failure for an error of a local file: a full disk has its own code. */
export function localFailure(error: unknown): unknown {
  return error instanceof Failure ? error : (findFullDisk(error) ?? error)
}
