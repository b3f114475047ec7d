import { FormatError } from '../format.ts'

/** The error for a file that violates the Parquet format; `what` follows a common prefix. */
export function damaged(what: string, cause?: unknown): FormatError {
  return new FormatError(`The Parquet file is damaged: ${what}`, { code: 'damaged-file', cause })
}

/** The error for a valid file with an unsupported feature. */
export function notSupported(what: string): FormatError {
  return new FormatError(what, { code: 'not-supported' })
}

/** The error for a file that exceeds the limits of memory or time. */
export function tooLarge(what: string): FormatError {
  return new FormatError(what, { code: 'too-large' })
}

/** Runs a library's decoder on untrusted bytes: any exception is reported as damage in `where`. */
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
