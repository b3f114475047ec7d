/** A row is well-formed, but cannot be loaded: it becomes a reject, and reading goes on. */
export class RowError extends Error {
  /** The attribute that holds the value. */
  field: string | undefined
  readonly value: string | undefined

  constructor(reason: string, place: { field?: string; value?: string | undefined } = {}) {
    super(reason)
    this.name = 'RowError'
    this.field = place.field
    this.value = place.value
  }
}
