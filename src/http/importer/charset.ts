import { invalid } from '../../lib/errors.ts'
import { findEncodingName } from '../../lib/text/encoding-names.ts'

/** The name of a text encoding as it was given; throws `Failure` (`invalid`) for one that is not known. */
export function requireCharset(charset: string | undefined): string | undefined {
  if (charset === undefined || findEncodingName(charset) !== undefined) return charset
  throw invalid('invalid-charset', `"${charset}" is not a text encoding that is known`)
}
