/** What a statement binds. */
export type Bound = string | number | bigint | Uint8Array | null

/** A condition and what is bound in it. */
export interface Condition {
  sql: string
  bound: Bound[]
}
