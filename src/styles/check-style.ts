import { invalid } from '../core/errors/errors.ts'
import type { StyleFormat } from './languages.ts'
import { getStyleLanguage } from './languages.ts'

/** Maximum size of a style document in bytes. */
export const maxStyleBytes = 5 * 2 ** 20

/** Throws `Failure` (`invalid`) if a document is invalid in its format. */
export function checkStyleDocument(format: StyleFormat, document: string): void {
  if (Buffer.byteLength(document) > maxStyleBytes)
    throw invalid('invalid-style', 'The style document is larger than 5 MiB')
  getStyleLanguage(format).check(document)
}
