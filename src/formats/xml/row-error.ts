/** A row is well-formed, but cannot be loaded: it becomes a reject. */
export class RowError extends Error {
  readonly field: string | undefined
  readonly value: string | undefined

  constructor(reason: string, place: { field?: string; value?: string } = {}) {
    super(reason)
    this.name = 'RowError'
    this.field = place.field
    this.value = place.value
  }
}
