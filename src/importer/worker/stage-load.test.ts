import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LoadOutcome, LoadPlan } from './load-plan.ts'
import type { LoadHandlers } from './load-pool.ts'
import { stageTaskLoad } from './stage-load.ts'

const outcome: LoadOutcome = {
  rowsRead: 2,
  rowsLoaded: 2,
  rejected: 0,
  renamed: {},
  schema: { attributes: [], geometry: undefined },
}
const quiet = {
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onMessage: () => undefined,
}

/** Simulates the steps of a worker during a load. */
function workerOf(steps: string[]) {
  return {
    load: async (_plan: LoadPlan, { onStaged, beforeCommit }: LoadHandlers): Promise<LoadOutcome> => {
      try {
        steps.push('staged')
        await onStaged?.()
        steps.push('prepared')
        await beforeCommit('token', outcome)
        steps.push('committed')
        return outcome
      } catch (error) {
        steps.push('discarded')
        throw error
      }
    },
  }
}

describe('a staged load', () => {
  it('goes no further until it is committed, and its token is recorded before', async () => {
    const steps: string[] = []
    const staged = await stageTaskLoad(workerOf(steps), {} as LoadPlan, quiet)
    assert.deepEqual(steps, ['staged'])
    const loaded = await staged.commit(async (token) => {
      steps.push(`recorded ${token}`)
    })
    assert.deepEqual(steps, ['staged', 'prepared', 'recorded token', 'committed'])
    assert.equal(loaded, outcome)
    await staged.discard(new Error('too late'))
    assert.equal(steps.at(-1), 'committed')
  })

  it('is discarded where that is wanted, and where its token cannot be recorded', async () => {
    const given: string[] = []
    const staged = await stageTaskLoad(workerOf(given), {} as LoadPlan, quiet)
    await staged.discard(new Error('a dry run ends'))
    assert.deepEqual(given, ['staged', 'discarded'])

    const refused: string[] = []
    const other = await stageTaskLoad(workerOf(refused), {} as LoadPlan, quiet)
    await assert.rejects(
      other.commit(() => Promise.reject(new Error('no disk'))),
      /no disk/,
    )
    assert.deepEqual(refused, ['staged', 'prepared', 'discarded'])
  })

  it('that fails before is an error', async () => {
    const load = (): Promise<LoadOutcome> => Promise.reject(new Error('no such file'))
    await assert.rejects(stageTaskLoad({ load }, {} as LoadPlan, quiet), /no such file/)
  })
})
