import { passStep } from '../core/process/protocol-steps.ts'
import type { LoadResult, PreparedLoad, StagedLoad } from './store.ts'

/** Stores the token of a load durably; throwing refuses the load, which is then discarded. */
export type RecordToken = (token: string, result: LoadResult, prepared: PreparedLoad) => Promise<void>

/**
 * Commits a staged load. The order prepare, record the token, commit ensures that a crash at any moment
 * neither loses the load nor applies it twice.
 */
export async function commitLoad(staged: StagedLoad, record: RecordToken): Promise<LoadResult> {
  const prepared = await staged.prepare()
  passStep('commit.prepared')
  try {
    await record(prepared.token, prepared.result, prepared)
  } catch (error) {
    await prepared.discard()
    throw error
  }
  passStep('commit.recorded')
  await prepared.commit()
  passStep('commit.done')
  return prepared.result
}
