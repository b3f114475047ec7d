import type { Failure } from '../../lib/errors.ts'
import type { Unpacking } from './unpacking.ts'

/** A kind of archive: it describes itself, and everything else reads this from the registry. */
export interface ArchiveKind {
  name: string
  /** Lower-case endings of file names, with the dot; the usual one first. */
  endings: readonly string[]
  /** Media types by which servers send such files. */
  mediaTypes?: readonly string[]
  /** First bytes that tell such a file where its name has no ending. */
  beginning?: readonly number[]
  /**
   * Reads the file and hands every entry to an `Unpacking`, which holds the limits, checks names and writes. Stops soon
   * after its signal aborts, and closes what it opened. Absent for kinds that are recognised and refused.
   */
  unpack?(path: string, unpacking: Unpacking): Promise<void>
  /** Why an archive of a kind that is refused is so; default: that it is not read. */
  refusal?(name: string): Failure
  /** Which entries are written; default: all. */
  isWanted?(name: string): boolean
}
