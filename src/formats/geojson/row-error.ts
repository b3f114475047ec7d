/** A record is JSON, but no feature that can be loaded: it becomes a reject. */
export class RowError extends Error {
  /** The attribute that holds the value. */
  field: string | undefined
  readonly value: string | undefined

  constructor(reason: string, value?: string) {
    super(reason)
    this.name = 'RowError'
    this.value = value
  }
}
