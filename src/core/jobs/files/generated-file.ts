import type { ErrorData } from '../../workers/error-codec.ts'

/** States of a file; the first two are unfinished. */
export const fileStates = ['PENDING', 'RUNNING', 'COMPLETE', 'ERROR'] as const
type FileState = (typeof fileStates)[number]

/** Record of a file that is, or was, created from a layer. */
export interface GeneratedFile {
  /** 128 random bits: users who know it and may read the layer can download the file. */
  id: string
  layerId: number
  workspace: string
  layer: string
  /** Version of the layer; absent: the present one. */
  version?: number
  format: string
  /** User who requested it; empty for anonymous users. */
  user: string
  state: FileState
  /** Completed and known total work, in the unit of the kind of file. */
  progress: number
  total: number
  sizeBytes?: number
  /** Error message. */
  message?: string
  createdAt: string
  expiresAt: string
  /** The error, for a client that waits on another server. */
  failure?: ErrorData
}
