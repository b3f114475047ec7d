import { Failure } from '../../lib/errors.ts'
import { crossesThreads } from '../../lib/workers/error-codec.ts'

/** The dump is invalid; `message` names the position. */
export class DumpError extends Failure {
  constructor(message: string, cause?: unknown) {
    super('invalid', 'bad-dump', message, cause === undefined ? {} : { cause })
    this.name = 'DumpError'
  }
}

crossesThreads(DumpError)
