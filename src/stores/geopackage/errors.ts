import { basename, dirname } from 'node:path'
import { Failure, invalid } from '../../core/errors/errors.ts'

const causes: Record<number, { code: string; kind: 'invalid' | 'unavailable' | 'conflict'; text: string }> = {
  5: { code: 'store-busy', kind: 'unavailable', text: 'is in use by others' },
  7: { code: 'store-too-large', kind: 'unavailable', text: 'needs more memory than a question may take' },
  8: { code: 'store-file', kind: 'invalid', text: 'cannot be written to' },
  10: { code: 'store-io', kind: 'unavailable', text: 'could not be read or written by the system' },
  11: { code: 'store-corrupt', kind: 'unavailable', text: 'is damaged' },
  13: { code: 'store-full', kind: 'unavailable', text: 'has no room left on its disk' },
  14: { code: 'store-file', kind: 'invalid', text: 'cannot be opened' },
  18: { code: 'store-too-large', kind: 'unavailable', text: 'holds a value that is too long to be read' },
  19: { code: 'constraint-violated', kind: 'conflict', text: 'has a constraint that the data violate' },
  23: { code: 'store-refused', kind: 'unavailable', text: 'asks for what no file may do' },
  26: { code: 'store-file', kind: 'invalid', text: 'is not a SQLite database' },
}

/**
 * Converts an error of SQLite or the operating system about the file to a `Failure` that a caller can act on;
 * returns other errors unchanged.
 */
export function storeFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const { errcode, code, path: failed } = error as { errcode?: unknown; code?: unknown; path?: unknown }
  // A load reads other files too: a missing file elsewhere is not an error of the store.
  if (code === 'ENOENT' && typeof failed === 'string' && dirname(failed) !== dirname(path)) return error
  const name = basename(path)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Failure('unavailable', 'store-full', `No room is left beside the GeoPackage "${name}"`, {
      cause: error,
    })
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOENT') {
    return invalid('store-file', `Nothing can be written beside the GeoPackage "${name}"`, { cause: error })
  }
  const known = typeof errcode === 'number' ? causes[errcode & 0xff] : undefined
  if (known === undefined) return error
  // SQLite's own text is only used for constraints.
  const output = known.code === 'constraint-violated' ? `: ${error.message}` : ''
  const message = `The GeoPackage "${name}" ${known.text}${output}`
  return new Failure(known.kind, known.code, message, { cause: error })
}
