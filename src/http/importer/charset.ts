import { invalid } from '../../lib/errors.ts'
import { findEncodingName } from '../../lib/text/encoding-names.ts'

/** Returns the name of a text encoding as given; throws `Failure` (`invalid`) for an unknown one. */
export function requireCharset(charset: string | undefined): string | undefined {
  if (charset === undefined || findEncodingName(charset) !== undefined) return charset
  throw invalid('invalid-charset', `"${charset}" is not a text encoding that is known`)
}
