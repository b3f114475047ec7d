/**
 * A CRS is unknown, or no transformation exists between two CRSs; `code` is `unknown-crs` or
 * `no-transformation`.
 */
export class CrsError extends Error {
  readonly code: 'unknown-crs' | 'no-transformation'

  constructor(code: CrsError['code'], message: string) {
    super(message)
    this.name = 'CrsError'
    this.code = code
  }
}
