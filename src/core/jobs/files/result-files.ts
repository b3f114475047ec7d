import type { Queryable } from '../../db/connection.ts'
import type { GeneratedFile } from './generated-file.ts'

/** Id and format name a file. */
export type FileName = Pick<GeneratedFile, 'id' | 'format'>

/** Paths of one attempt to create a file. */
export interface AttemptPaths {
  path: string
  /** A folder for temporary files. */
  workPath: string
}

/** Saves the record of a complete file; false if the record has been removed. */
export type SaveRecord = (written?: { db: Queryable; fileKey: string }) => Promise<boolean>

/** Files of one collection. An attempt writes to a local folder; finished files stay there, or are in the file store. */
export interface ResultFiles {
  newId(): string
  /** Path of a finished file in the local folder. */
  filePath(file: FileName): string
  /** Creates the folder and returns paths that no other attempt uses, on any server. */
  beginAttempt(file: FileName): Promise<AttemptPaths>
  /** Makes the result of an attempt the finished file and saves its record; removes the file if there is no record. */
  complete(paths: AttemptPaths, file: FileName, save: SaveRecord, signal: AbortSignal): Promise<void>
  /** Removes remaining files of an attempt. */
  endAttempt(paths: AttemptPaths): Promise<void>
  remove(file: FileName): Promise<void>
  /** Removes files without a record, and files left by killed attempts. */
  removeStrays(records: readonly GeneratedFile[]): Promise<void>
  /** Returns the total size of all files. */
  sizeBytes(): Promise<number>
}
