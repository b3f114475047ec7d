/** How much a source may hold; settings of the server. */
export interface SourceLimits {
  /** Entries in a folder tree or an archive. */
  maxEntries: number
  /** Bytes that an archive may expand to. */
  maxExpandedBytes: number
  /** Expanded bytes for each byte of an archive. */
  maxRatio: number
}

/** What archives have taken of the limits. */
export interface Unpacked {
  entries: number
  bytes: number
}

export interface ExtractOptions {
  /** Taken by archives of the same import before this one; the limits hold for all of them together. */
  before?: Unpacked
  limits: SourceLimits
  signal: AbortSignal
  /** The name that people know the archive by, its ending included; default: the file's own. */
  name?: string
}
