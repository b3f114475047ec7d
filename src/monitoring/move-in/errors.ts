import { Failure } from '../../lib/errors.ts'
import { crossesThreads } from '../../lib/workers/error-codec.ts'

/** What was given to be loaded is not what was expected; `message` says where. */
export class DumpError extends Failure {
  constructor(message: string, cause?: unknown) {
    super('invalid', 'bad-dump', message, cause === undefined ? {} : { cause })
    this.name = 'DumpError'
  }
}

crossesThreads(DumpError)
