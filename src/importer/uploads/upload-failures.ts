import { conflict, Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { isUploadId } from './upload-record.ts'

/** Maximum number of uploads of one user that wait for their import. */
export const mostOfOwner = 10_000

export function unknownUpload(id: string): Failure {
  const shown = isUploadId(id) ? ` ${id}` : ''
  return notFound(
    'unknown-upload',
    `There is no upload${shown}: uploads are kept for a day, for who began them`,
  )
}

export function busyUpload(id: string): Failure {
  return conflict(
    'upload-busy',
    `Another request is sending a piece of upload ${id}: ask for its offset, then go on`,
  )
}

export function wrongOffset(there: number, given: number): Failure {
  return conflict(
    'wrong-offset',
    `The upload has ${there} bytes, the piece begins at ${given}: begin where it ends`,
  )
}

export function brokenUpload(cause: unknown): Failure {
  return invalid('upload-broken', 'The upload broke off: what came is kept, go on from its offset', { cause })
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
    `${mostOfOwner} uploads wait already: import or delete some`,
  )
}

export function uploadsFull(maxBytes: number): Failure {
  const text = `Pending uploads may have at most ${maxBytes} bytes in total (TERRANE_MAX_RESUMABLE): import or delete some`
  return new Failure('tooLarge', 'uploads-full', text)
}
