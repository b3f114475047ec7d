import { defined } from '../../lib/defined.ts'
import { FormatError } from '../format.ts'

/** The file breaks the Parquet format; `what` is put behind a common beginning. */
export function damaged(what: string, cause?: unknown): FormatError {
  return new FormatError(`The Parquet file is damaged: ${what}`, {
    code: 'damaged-file',
    ...defined({ cause }),
  })
}

/** The file is whole, and asks for what is not read. */
export function notSupported(what: string): FormatError {
  return new FormatError(what, { code: 'not-supported' })
}

/** The file asks for more memory or time than is given. */
export function tooLarge(what: string): FormatError {
  return new FormatError(what, { code: 'too-large' })
}

/** Runs a library's decoder over untrusted bytes: whatever it throws is damage in `where`. */
export function guarded<T>(where: string, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof FormatError) throw error
    throw damaged(
      `${where} cannot be decoded (${error instanceof Error ? error.message : String(error)})`,
      error,
    )
  }
}
