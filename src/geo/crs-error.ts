/** A CRS is unknown, or no way leads from one to another; `code` is `unknown-crs` or `no-transformation`. */
export class CrsError extends Error {
  readonly code: 'unknown-crs' | 'no-transformation'

  constructor(code: CrsError['code'], message: string) {
    super(message)
    this.name = 'CrsError'
    this.code = code
  }
}
