import { FormatError } from '../../formats/format.ts'
import { invalid } from '../../lib/errors.ts'
import { TransformError } from '../../transforms/transform.ts'

/** Runs work on behalf of a request and reports input errors in the data as a `Failure` (`invalid`). */
export async function asRequest<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TransformError || error instanceof FormatError) {
      throw invalid(error.code, error.message, { cause: error })
    }
    throw error
  }
}
