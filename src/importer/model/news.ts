import type { FetchProgress } from '../../inputs/index.ts'
import type { ImportState, TaskState } from './states.ts'

export interface TaskProgress {
  phase: 'waiting' | 'transforming' | 'loading' | 'committing' | 'publishing' | 'done'
  /** Number of processed rows. */
  progress: number
  /** -1 if unknown. */
  total: number
  rejected: number
  rowsPerSecond?: number
  remainingSeconds?: number
  /** Reason for waiting. */
  message?: string
}

/** Events for clients that follow an import. */
export type ImportNews =
  | { type: 'import'; state: ImportState; message?: string }
  | { type: 'task'; taskId: number; state: TaskState; message?: string }
  | { type: 'fetch'; progress: FetchProgress }
  | { type: 'progress'; taskId: number; progress: TaskProgress }

export interface NumberedNews {
  id: number
  news: ImportNews
}
