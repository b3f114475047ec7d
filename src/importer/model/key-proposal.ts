/** Columns by which an `UPSERT` could match rows, with the evidence. */
export interface KeyProposal {
  kind: 'keys'
  keys: string[]
  /** Number of rows that were read, and of data rows that the layer contains. */
  rows: { data: number; layer: number; found: number }
  /** True if these are all rows. */
  exact: boolean
  evidence: string
}

/** The found keys, and a digest that shows whether data, layer and task are still the same. */
export interface KeyCandidates {
  basis: string
  proposals: KeyProposal[]
}
