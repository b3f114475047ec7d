import type { FetchProgress } from '../../sources/remote/fetch-remote.ts'
import type { ImportState, TaskState } from './states.ts'

export interface TaskProgress {
  phase: 'waiting' | 'transforming' | 'loading' | 'committing' | 'publishing' | 'done'
  /** Rows taken so far. */
  progress: number
  /** -1 when it cannot be known. */
  total: number
  rejected: number
  rowsPerSecond?: number
  remainingSeconds?: number
  /** Why it waits. */
  message?: string
}

/** What is told to those who watch an import. */
export type ImportNews =
  | { type: 'import'; state: ImportState; message?: string }
  | { type: 'task'; taskId: number; state: TaskState; message?: string }
  | { type: 'fetch'; progress: FetchProgress }
  | { type: 'progress'; taskId: number; progress: TaskProgress }

export interface NumberedNews {
  id: number
  news: ImportNews
}
