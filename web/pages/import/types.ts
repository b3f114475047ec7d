import type { Call } from '../../api/client.ts'

/** Parts of `/rest/imports` responses that the pages use. */
export interface ImportSummary {
  id: number
  state: string
  message?: string
}

/** A message of the server about data. */
export interface Message {
  level?: string
  code?: string
  message?: string
  text?: string
}

export interface Proposal {
  kind: string
  srs?: string
  transform?: Record<string, unknown>
  keys?: string[]
  evidence: string
}

export interface Task {
  id: number
  state: string
  updateMode: string
  data?: {
    type?: string
    name?: string
    location?: string
    file?: string
    format?: string
    table?: string
    prj?: string | null
  }
  layer?: {
    name: string
    title?: string
    srs?: string
    srsCandidates?: Candidate[]
    attributes?: Attribute[]
  }
  proposals?: Proposal[]
  messages?: Message[]
  transformChain?: { type: string; transforms: Record<string, unknown>[] }
  rowsRead?: number
  rowsLoaded?: number
  rejected?: number
  mended?: number
  /** Result of the last resubmitted rows. */
  mending?: {
    state: string
    rows?: { sent: number; loaded: number; rejected: number; refused: number }
    errorMessage?: string
  }
  errorMessage?: string
  errorCode?: string
  keys?: string[]
  deleteMissing?: boolean
  stopIf?: StopIf
  rejectLimit?: number | string
  stopped?: { rule: string; limit?: unknown; measured?: unknown }[]
  accepted?: { stopped: string[]; by: string; at: string }
  target?: { dataStore?: TargetStore; coverageStore?: TargetStore }
}

interface TargetStore {
  name: string
  workspace?: { name: string }
}

export type StoreKind = 'dataStore' | 'coverageStore'

/** Allowed values of a column. */
export interface ValueRule {
  in?: (string | number | boolean | null)[]
  min?: number | string
  max?: number | string
}

/** Limits that stop a load before its commit. */
export interface StopIf {
  removed?: { percent?: number; rows?: number } | undefined
  changed?: { percent?: number; rows?: number } | undefined
  empty?: Record<string, { percent?: number; rows?: number }> | undefined
  values?: Record<string, ValueRule> | undefined
  columns?: 'lost' | 'any' | undefined
  crs?: boolean | undefined
  outside?: number[] | undefined
  fewer?: number | undefined
}

/** Returns the target store of a task; undefined while its data are unknown. */
export function storeOf({ target }: Task): { kind: StoreKind; name: string; workspace: string } | undefined {
  const kind = target?.coverageStore === undefined ? 'dataStore' : 'coverageStore'
  const store = target?.[kind]
  return store && { kind, name: store.name, workspace: store.workspace?.name ?? 'default' }
}

/** A column of the layer; the geometry has no `source`. */
export interface Attribute {
  name: string
  binding: string
  source?: string
}

export interface Candidate {
  /** Null for a definition that the data declare and that has no code. */
  srs: string | null
  name: string
  confidence: number
  evidence: string
  bbox?: number[]
}

export interface Import extends ImportSummary {
  tasks: Task[]
  messages?: Message[]
  /** Absent without a dry run. */
  dryRun?: { state: string }
  targetWorkspace?: { workspace?: { name: string } }
}

export interface ColumnFigures {
  rows?: { whole?: boolean; total?: number; counted?: number; rejected?: number }
  leftOut?: { name: string; type: string; binding: string }[]
  columns: {
    name: string
    type: string
    count: number
    empty: number
    distinct?: number
    min?: unknown
    max?: unknown
    frequent?: { value: unknown; count: number }[]
    exact: boolean
  }[]
}

export interface Rows {
  features: { id?: number | string; properties: Record<string, unknown>; geometry: { type: string } | null }[]
  bbox?: number[]
  hasMore?: boolean
}

export interface Progress {
  progress?: number
  total?: number
  rejected?: number
  phase?: string
  rowsPerSecond?: number
  remainingSeconds?: number
  state: string
}

export const importCall = (id: string): Call => ({ path: `/rest/imports/${id}`, query: { expand: 'all' } })

export const taskPath = (id: string, task: number): string => `/rest/imports/${id}/tasks/${task}`

const busyStates = new Set(['INIT', 'RUNNING'])

export function isBusy(state: string): boolean {
  return busyStates.has(state)
}
