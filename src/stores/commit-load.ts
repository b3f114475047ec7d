import { passStep } from '../lib/protocol-steps.ts'
import type { LoadResult, PreparedLoad, StagedLoad } from './store.ts'

/** Writes the token of a load down durably; by throwing it refuses the load, which is then discarded. */
export type RecordToken = (token: string, result: LoadResult, prepared: PreparedLoad) => Promise<void>

/**
 * Makes a staged load visible, in the one order in which a crash at any moment neither loses it nor does it twice:
 * prepare, record the token, commit.
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
