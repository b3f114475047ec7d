import { Failure, invalid } from '../../core/errors/errors.ts'
import { shownName } from '../entry-name.ts'

/** The error for an archive that cannot be read as the kind its name says. */
export function broken(archive: string, kind: string, why: string, cause?: unknown): Failure {
  const text = `"${archive}" is not a readable ${kind} archive: ${why}`
  return invalid('broken-archive', text, cause === undefined ? {} : { cause })
}

/** The error for an archive refused because of one of its entries. */
export function refused(archive: string, name: string, why: string): Failure {
  return invalid(
    'bad-archive-entry',
    `"${archive}" is refused: the entry "${shownName(name)}" cannot be unpacked, ${why}`,
  )
}

/** The error for one part of a split archive. */
export function splitArchive(archive: string): Failure {
  const text = `"${archive}" is part of a split archive: join the parts into one file first`
  return invalid('split-archive', text)
}

const full = new Set(['ENOSPC', 'EDQUOT'])

function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/**
 * Converts an error of unpacking to a message for the sender of the archive; returns errors of this machine
 * unchanged.
 */
export function toFailure(error: unknown, archive: string, kind: string): unknown {
  if (error instanceof Failure) return error
  const code = systemCode(error)
  if (code !== undefined && full.has(code)) {
    const text = `The disk is full: "${archive}" cannot be unpacked, and its unpacked files were removed`
    return new Failure('unavailable', 'disk-full', text, { cause: error })
  }
  if (code !== undefined) return error
  return broken(archive, kind, error instanceof Error ? error.message : String(error), error)
}
