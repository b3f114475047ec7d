/** Columns by which an `UPSERT` could match rows, with what speaks for them. */
export interface KeyProposal {
  kind: 'keys'
  keys: string[]
  /** Rows that were looked at, and of the data's those that the layer has. */
  rows: { data: number; layer: number; found: number }
  /** Whether these are all rows. */
  exact: boolean
  evidence: string
}

/** What was found, and by what it is seen whether data, layer and task are still the same. */
export interface FoundKeys {
  basis: string
  proposals: KeyProposal[]
}
