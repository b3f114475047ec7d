import { conflict, Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { isUploadId } from './upload-record.ts'

/** Maximum number of uploads of one user that wait for their import. */
export const maxOfOwner = 10_000

export function unknownUpload(id: string): Failure {
  const shown = isUploadId(id) ? ` ${id}` : ''
  return notFound(
    'unknown-upload',
    `Upload${shown} does not exist: uploads expire after a day and belong to the user who started them`,
  )
}

export function busyUpload(id: string): Failure {
  return conflict(
    'upload-busy',
    `Another request is sending a piece of upload ${id}: read its offset, then continue`,
  )
}

export function wrongOffset(there: number, given: number): Failure {
  return conflict(
    'wrong-offset',
    `The upload has ${there} bytes, but the piece begins at ${given}: begin at the end of the upload`,
  )
}

export function brokenUpload(cause: unknown): Failure {
  return invalid(
    'upload-broken',
    'The upload was interrupted; the received bytes are stored: continue from the offset',
    { cause },
  )
}

export function incompleteUpload(id: string, offset: number, lengthBytes: number): Failure {
  return conflict(
    'upload-incomplete',
    `Upload ${id} has ${offset} of ${lengthBytes} bytes: send the rest first`,
  )
}

export function tooLargeUpload(maxBytes: number): Failure {
  return new Failure('tooLarge', 'upload-too-large', `An upload has at most ${maxBytes} bytes`)
}

export function tooManyUploads(): Failure {
  return new Failure(
    'tooMany',
    'too-many-uploads',
    `You have ${maxOfOwner} pending uploads, which is the maximum: import or delete some`,
  )
}

export function uploadsFull(maxBytes: number): Failure {
  const text = `Pending uploads may have at most ${maxBytes} bytes in total (TERRANE_MAX_RESUMABLE): import or delete some`
  return new Failure('tooLarge', 'uploads-full', text)
}
