import type { Message } from '../../formats/format.ts'
import { without } from '../../lib/defined.ts'
import type { DatabasePlace } from '../../sources/database/database.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { MosaicTime } from './granule-record.ts'
import type { ImportRehearsal } from './rehearsal.ts'
import type { ImportState } from './states.ts'

export const sourceTypes = ['file', 'directory', 'mosaic', 'remote'] as const

/** Where an import's data lie; absolute paths. */
export interface ImportSource {
  type: (typeof sourceTypes)[number] | 'database'
  /** A file, an archive or a folder; for an empty directory the folder that uploads go to. */
  path: string
  charset?: string
  /** Where the times of a mosaic's granules come from. */
  time?: MosaicTime
  /** True where the folder is ours and filled by uploads or a fetch. */
  isOurs: boolean
  remote?: RemoteSource
  database?: DatabaseSource
}

/** What remote data are fetched by. */
export interface RemoteSource {
  /** Without credentials. */
  location: string
  username?: string
  domain?: string
  /** Sealed by the vault; dropped when the import is complete. */
  sealedPassword?: string
}

/** The database that an import reads. */
export interface DatabaseSource {
  place: DatabasePlace
  /** Sealed by the vault; kept as long as the import, since a retry needs it. */
  sealedPassword?: string
  /** Tables that were asked for; absent: all. */
  wanted?: string[]
  /** Tables that were found. */
  tables: string[]
}

export interface ImportRecord {
  id: number
  state: ImportState
  nextTaskId: number
  revision: number
  createdAt: string
  updatedAt: string
  isArchived: boolean
  workspace: string
  /** The target store, where the client named one. */
  store?: string
  source?: ImportSource
  /** Folder that was scanned: of a file its own, of an archive what it was unpacked to. */
  folder?: string
  /** Given to every task they suit, those of later uploads too. */
  transforms: TransformSpec[]
  /** Given to every task. */
  allowEmpty?: boolean
  message?: string
  messages: Message[]
  nextUpload: number
  /** The preparation or run under way, or waiting for its turn. */
  jobId?: number
  /** The last rehearsal, under way or kept. */
  rehearsal?: ImportRehearsal
  /** Who created it. */
  user?: string
}

/** A finished import without the password that its data were fetched with. */
export function withoutPassword(record: ImportRecord): ImportRecord {
  if (record.source?.remote?.sealedPassword === undefined) return record
  const remote = without(record.source.remote, 'sealedPassword')
  return { ...record, source: { ...record.source, remote } }
}
