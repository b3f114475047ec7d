/** Rejected rows with the same reason. */
export interface RejectGroup {
  code: string
  field?: string
  reason: string
  count: number
  /** Examples: number, values and geometry as read. */
  rows: object[]
}
