/** The error for a well-formed row that cannot be loaded: it is rejected, and reading continues. */
export class RowError extends Error {
  /** The attribute with the invalid value. */
  field: string | undefined
  readonly value: string | undefined

  constructor(reason: string, place: { field?: string; value?: string | undefined } = {}) {
    super(reason)
    this.name = 'RowError'
    this.field = place.field
    this.value = place.value
  }
}
