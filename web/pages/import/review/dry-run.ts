import { createContext } from 'preact'
import type { Call } from '../../../api/client.ts'

/** Reasons why rows would be rejected, the most frequent first. */
interface Reason {
  code: string
  field?: string
  reason: string
  count: number
  rows: { row: number; value?: unknown }[]
}

/** A limit that a load has broken, or would. */
export interface Broken {
  rule: string
  limit?: unknown
  measured?: unknown
}

/** Result of a dry run for a task. */
export interface DryRunTask {
  task: number
  mode: string
  target?: { layer: string; version: number | null }
  rows: { read: number; load: number; rejected: number }
  changes?: { added: number; changed: number | null; removed: number; same: number; matchedBy: string[] }
  columns: { name: string; change: string; from?: string; to?: string }[]
  geometry?: { empty: number; invalid: number; repaired: number }
  crs?: { srs: string | null; evidence: string }
  bounds?: number[]
  rejects: Reason[]
  stopped: Broken[]
  notTried: string[]
  changesHref?: string
  tilesHref?: string
  messages: { message?: string }[]
}

export interface DryRun {
  state: string
  tasks: DryRunTask[]
}

/** Dry run of the shown import; undefined if there is none. */
export const DryRunContext = createContext<DryRun | undefined>(undefined)

export const dryRunPath = (importId: number): string => `/rest/imports/${importId}/dry-run`

export const performDryRun = (importId: number): Call => ({
  method: 'POST',
  path: dryRunPath(importId),
  query: { async: true },
})
