import { crossesThreads } from '../../lib/workers/error-codec.ts'

/** An error of an OGC service, with a code of its standard. */
export class OwsFailure extends Error {
  readonly code: string
  /** The parameter that is wrong. */
  readonly locator: string | undefined
  readonly status: number

  constructor(code: string, message: string, locator?: string, status = 400) {
    super(message)
    this.name = 'OwsFailure'
    this.code = code
    this.locator = locator
    this.status = status
  }
}

crossesThreads(OwsFailure)
