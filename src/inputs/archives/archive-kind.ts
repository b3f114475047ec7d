import type { Failure } from '../../core/errors/errors.ts'
import type { Unpacking } from './unpacking.ts'

/** A kind of archive, with all its properties; all other code reads them from the registry. */
export interface ArchiveKind {
  name: string
  /** Lower-case file name extensions, with the dot; the usual one first. */
  endings: readonly string[]
  /** Media types of such files on web servers. */
  mediaTypes?: readonly string[]
  /** First bytes that identify such a file if its name has no extension. */
  beginning?: readonly number[]
  /**
   * Reads the file and passes every entry to an `Unpacking`, which enforces the limits, checks names and
   * writes. Stops soon after its signal aborts, and closes what it opened. Absent for kinds that are
   * recognised and refused.
   */
  unpack?(path: string, unpacking: Unpacking): Promise<void>
  /** Returns the error of a refused kind; default: that it is not supported. */
  refusal?(name: string): Failure
  /** Selects the entries to write; default: all. */
  isSelected?(name: string): boolean
}
