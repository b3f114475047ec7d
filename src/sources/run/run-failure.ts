import { Failure } from '../../core/errors/errors.ts'

/** A failure that ends a run at once: another attempt cannot succeed. */
export class RunFailure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'RunFailure'
    this.code = code
  }
}

const passingCodes = ['remote-failed', 'remote-timeout', 'service-failed', 'no-such-file']

/** True if a later attempt may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof RunFailure) return false
  if (!(error instanceof Failure)) return true
  return error.kind === 'unavailable' || passingCodes.includes(error.code)
}
