/** Limits on the contents of a source; settings of the server. */
export interface SourceLimits {
  /** Maximum number of entries in a folder tree or an archive. */
  maxEntries: number
  /** Maximum expanded size of an archive, in bytes. */
  maxExpandedBytes: number
  /** Maximum expanded bytes per byte of an archive. */
  maxRatio: number
}

/** Amounts of the limits used by archives. */
export interface Unpacked {
  entries: number
  bytes: number
}

export interface ExtractOptions {
  /** Amounts used by earlier archives of the same import; the limits apply to their total. */
  before?: Unpacked
  limits: SourceLimits
  signal: AbortSignal
  /** Archive name for users, with its extension; default: the name of the file. */
  name?: string
}
