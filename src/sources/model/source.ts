import { invalid } from '../../core/errors/errors.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import type { StopRules } from '../../importer/index.ts'
import type { DatabaseLocation, ServiceData } from '../../inputs/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { Schedule } from '../schedule/schedule.ts'

/** Files in an import root. */
export interface PathData {
  type: 'file' | 'directory' | 'mosaic'
  path: string
  charset?: string
}

/** A file, folder or bucket prefix of another server. */
export interface RemoteData {
  type: 'remote'
  /** Without credentials. */
  location: string
  username?: string
  domain?: string
  charset?: string
}

interface DatabaseData {
  type: 'database'
  connection: DatabaseLocation
  tables?: string[]
}

/** Location of the data of a source, without the password. */
export type SourceData = PathData | RemoteData | DatabaseData | ({ type: 'service' } & ServiceData)

/** Update modes of a source. The first run creates a layer that does not exist. */
export const sourceModes = ['REPLACE', 'UPSERT', 'APPEND'] as const
type SourceMode = (typeof sourceModes)[number]

/** Target of a source. Without `layer`, layers are named after their data. */
interface SourceTarget {
  workspace?: string
  store?: string
  layer?: string
}

/** Attempts after a failure that may pass. */
interface Retry {
  times: number
  /** Wait before the first; doubled for each further one. */
  firstSeconds: number
}

/** Settings that a client configures. */
export interface SourceSettings {
  data: SourceData
  transforms: TransformSpec[]
  target: SourceTarget
  /** CRS of data that declare none. */
  srs?: string
  updateMode: SourceMode
  keys?: string[]
  deleteMissing?: boolean
  stopIf?: StopRules
  repair?: boolean
  allowEmpty?: boolean
  schedule: Schedule | null
  /** Seconds after which a due run that has not ended is overdue. */
  overdueSeconds: number
  retry: Retry
  /** Mail addresses and webhook URLs that receive problems. */
  receivers: string[]
  enabled: boolean
}

/** Identifies the data of the last successful run. */
export interface Fingerprint {
  /** Digest of the settings that determine what is loaded. */
  settings: string
  /** Sizes and times, or the validator of the server: compared first. */
  version?: string
  /** Digest of the content: compared if `version` differs. */
  content?: string
  /** Digests of the single files, by path below the folder. */
  files?: Record<string, string>
}

/** State that a source keeps between its runs. */
export interface SourceMemory {
  fingerprint?: Fingerprint
  /** Last version of each layer that the source has loaded, by `workspace:layer`. */
  versions: Record<string, number>
  lastSuccess?: string
  /** Greatest edit time that was read from a service. */
  newest?: string
  /** Number of incremental runs since the last complete one. */
  partialRuns?: number
}

/** State of a watched folder. */
export interface Watched {
  /** Digest of names, sizes and times. */
  digest: string
  /** Time at which the digest was first seen. */
  since: string
  /** True if a run was started for it. */
  isTaken: boolean
}

export interface SourceRecord {
  id: number
  name: string
  owner: string
  settings: SourceSettings
  /** Encrypted by the vault; empty if there is none. */
  sealedPassword: string
  nextRun?: string
  watched?: Watched
  memory: SourceMemory
  checkId?: number
  createdAt: string
  updatedAt: string
  revision: number
}

/** Returns the address that the password of a source is sent to: another one needs the password again. */
export function addressOf({ data }: Pick<SourceSettings, 'data'>): string {
  if (data.type === 'database') return JSON.stringify(data.connection)
  if (data.type !== 'remote' && data.type !== 'service') return data.type
  const origin = URL.canParse(data.location) ? new URL(data.location).host : data.location
  return JSON.stringify([data.type, origin, data.username, data.domain])
}

/** True if a source has loaded a layer, or names it as its target. */
export function loadsLayer(
  { memory, settings }: SourceRecord,
  layer: string,
  defaultWorkspace: string,
): boolean {
  if (memory.versions[layer] !== undefined) return true
  const { workspace = defaultWorkspace, layer: name } = settings.target
  return name !== undefined && `${workspace}:${toLayerName(name)}` === layer
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,99}$/u

/** Throws `Failure` (`invalid`) for a name that no source may have. */
export function checkName(name: string): void {
  if (namePattern.test(name)) return
  throw invalid(
    'invalid-name',
    `Source name "${name}" is not valid: letters, digits and "_", "-", "." are, at most 100, a letter, digit or "_" first`,
  )
}
