import { Failure } from '../errors.ts'

/** PostgreSQL's disk_full, and the system's words for it. */
const fullCodes = ['53100', 'ENOSPC', 'EDQUOT']
const sqliteFull = 13

/** That the disk is full, of a file or of our own database; undefined for other errors. */
export function findFullDisk(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  if (!fullCodes.includes(String(code)) && (Number(errcode) & 0xff) !== sqliteFull) return undefined
  const text = 'The disk of the server is full: nothing was kept; try again when its operator has made room'
  return new Failure('unavailable', 'disk-full', text, { cause: error })
}
