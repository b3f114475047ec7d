/** States of a file; the first two are those of work that is still to be done. */
export const fileStates = ['PENDING', 'RUNNING', 'COMPLETE', 'ERROR'] as const
type FileState = (typeof fileStates)[number]

/** A file that is made of a layer, or was, as it is kept. */
export interface MadeFile {
  /** 128 random bits: who has it may ask for it, if he may read the layer. */
  id: string
  layerId: number
  workspace: string
  layer: string
  /** Which of its versions; absent: the present one. */
  version?: number
  format: string
  /** Who asked for it; empty: nobody who has a name. */
  user: string
  state: FileState
  /** What was done, and what is known to be done, in what the kind of file counts. */
  progress: number
  total: number
  sizeBytes?: number
  /** Why it failed. */
  message?: string
  createdAt: string
  expiresAt: string
  /** When its server was last at work on it. */
  seenMs: number
}

/** Whether work on it is still to be done. */
export function isUnfinished({ state }: Pick<MadeFile, 'state'>): boolean {
  return state === 'PENDING' || state === 'RUNNING'
}
