/** Values that a statement binds. */
export type Bound = string | number | bigint | Uint8Array | null

/** A condition with its bound values. */
export interface SqlCondition {
  sql: string
  bound: Bound[]
}
