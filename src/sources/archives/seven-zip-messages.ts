/** What the worker gets. */
export interface SevenZipOrder {
  path: string
  /** The name that the archive has for the program. */
  input: string
  args: string[]
  maxMemoryBytes: number
  /** How many pieces may lie unread, and a counter of those that do. */
  maxWaiting: number
  waiting: SharedArrayBuffer
}

export interface SevenZipEnding {
  type: 'ended'
  exitCode: number
  /** The beginning of what it wrote to standard error. */
  said: string
  /** It asked for more memory than it may have. */
  isMemoryShort: boolean
}

/** What the worker gives. */
export type SevenZipReport = { type: 'bytes'; bytes: Uint8Array<ArrayBuffer> } | SevenZipEnding
