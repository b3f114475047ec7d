/** Rejected rows with one reason. */
export interface RejectGroup {
  code: string
  field?: string
  reason: string
  count: number
  /** Some of them: number, values and geometry as they were read. */
  rows: object[]
}
