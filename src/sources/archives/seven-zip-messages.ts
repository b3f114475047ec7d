/** Input of the worker. */
export interface SevenZipOrder {
  path: string
  /** File name of the archive for the program. */
  input: string
  args: string[]
  maxMemoryBytes: number
  /** Maximum number of unread pieces, and a counter of them. */
  maxWaiting: number
  waiting: SharedArrayBuffer
}

export interface SevenZipEnding {
  type: 'ended'
  exitCode: number
  /** Start of its standard error. */
  said: string
  /** True if it requested more memory than permitted. */
  isMemoryShort: boolean
}

/** Output of the worker. */
export type SevenZipReport = { type: 'bytes'; bytes: Uint8Array<ArrayBuffer> } | SevenZipEnding
