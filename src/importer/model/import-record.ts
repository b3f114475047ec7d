import { without } from '../../core/values/defined.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import type { DatabaseLocation } from '../../inputs/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { ImportDryRun } from './dry-run.ts'
import type { MosaicTime } from './granule-record.ts'
import type { ImportState } from './states.ts'

export const sourceTypes = ['file', 'directory', 'mosaic', 'remote'] as const

/** Source location of the data of an import; absolute paths. */
export interface ImportSource {
  type: (typeof sourceTypes)[number] | 'database'
  /** A file, an archive or a folder; for an empty directory the upload folder. */
  path: string
  charset?: string
  /** Source of the times of the granules of a mosaic. */
  time?: MosaicTime
  /** True if the folder belongs to the server and is filled by uploads or a fetch. */
  isOurs: boolean
  remote?: RemoteSource
  database?: DatabaseSource
}

/** Location and credentials of remote data. */
export interface RemoteSource {
  /** Without credentials. */
  location: string
  username?: string
  domain?: string
  /** Encrypted by the vault; removed when the import is complete. */
  sealedPassword?: string
}

/** The run of a source for which an import was created. */
export interface SourceRun {
  source: string
  run: number
}

/** The database of an import. */
export interface DatabaseSource {
  place: DatabaseLocation
  /** Encrypted by the vault; stored as long as the import, since a retry needs the password. */
  sealedPassword?: string
  /** Requested tables; absent: all. */
  wanted?: string[]
  /** Names of the tables found. */
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
  /** The target store, if the client named one. */
  store?: string
  source?: ImportSource
  /** Scanned folder: the folder of a file, or the folder that an archive was unpacked to. */
  folder?: string
  /** Applied to every task they fit, including those of later uploads. */
  transforms: TransformSpec[]
  /** Applied to every task. */
  allowEmpty?: boolean
  message?: string
  messages: FormatMessage[]
  nextUpload: number
  /** The running or queued preparation or run. */
  jobId?: number
  /** The last dry run, running or retained. */
  dryRun?: ImportDryRun
  /** User who created the import. */
  user?: string
  /** Run of a source that created the import. */
  sourceRun?: SourceRun
}

/** Returns a finished import without the password for fetching its data. */
export function withoutPassword(record: ImportRecord): ImportRecord {
  if (record.source?.remote?.sealedPassword === undefined) return record
  const remote = without(record.source.remote, 'sealedPassword')
  return { ...record, source: { ...record.source, remote } }
}
