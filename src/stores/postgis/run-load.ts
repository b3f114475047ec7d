import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLost, statementFailure } from '../../core/postgres/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { StagedLoad } from '../store.ts'
import type { FinalSteps } from './commit.ts'
import { commitPrepared, prepareCommit } from './commit.ts'
import { compareStaged } from './compare/compare-staged.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { stagingName } from './identifiers.ts'
import { endProcesses, PostgisSession } from './session.ts'

/**
 * A stopped load must end within two seconds, even if the database does not respond; the clean-up continues
 * afterwards.
 */
const stoppedCleanUpMs = 1700
const failedCleanUpMs = 15_000

/** Steps of one load. */
interface LoadSteps {
  loadId: string
  signal: AbortSignal
  stage(session: PostgisSession): Promise<FinalSteps>
  /** For a dry run: returns what is needed to continue with the staged rows. */
  retainRows?(steps: FinalSteps): Promise<string>
}

/** Runs a load; on failure the target is unchanged and nothing is left behind. */
export async function beginLoad(
  settings: ConnectionSettings,
  { loadId, signal, stage, retainRows }: LoadSteps,
): Promise<StagedLoad> {
  const session = new PostgisSession(settings, stagingName(loadId), signal)

  async function discard(): Promise<void> {
    const patience = sleep(signal.aborted ? stoppedCleanUpMs : failedCleanUpMs, undefined, { ref: false })
    await Promise.race([cleanUp(session, settings, loadId), patience])
    await session.close()
  }

  async function orDiscard<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action()
    } catch (error) {
      await discard()
      signal.throwIfAborted()
      // Some steps send statements of their own: any error of a lost connection is an outage.
      throw isConnectionLost(error) ? statementFailure(error, 'loading') : error
    }
  }

  const steps = await orDiscard(() => stage(session))

  async function commit(token: string): Promise<void> {
    await orDiscard(() => commitPrepared(settings, steps, { token, signal }))
    await session.close()
  }

  const load: StagedLoad = {
    result: steps.result,
    discard,
    prepare: async () => {
      const { token, result } = await orDiscard(() => prepareCommit(steps))
      const { changes } = steps
      return { token, result, discard, commit: () => commit(token), changes }
    },
  }
  const { staged } = steps
  if (staged === undefined || retainRows === undefined) return load
  return {
    ...load,
    compare: (keys, stop) =>
      orDiscard(() => session.within(stop, () => compareStaged(steps.connection, staged, keys, stop))),
    retainRows: async () => {
      const retainedRows = await orDiscard(() => retainRows(steps))
      await session.close()
      return retainedRows
    },
  }
}

/** Drops the staging table. An unreachable database retains it until `sweep` is called again. */
async function cleanUp(session: PostgisSession, settings: ConnectionSettings, loadId: string): Promise<void> {
  await session.abandon()
  await sweepLoad(settings, loadId).catch(() => {})
}

/** Drops the staging table of a load, after terminating server processes that still work for it. */
export async function sweepLoad(settings: ConnectionSettings, loadId: string): Promise<void> {
  const name = stagingName(loadId)
  await endProcesses(settings, 'application_name = $1', [name])
  const client = await openConnection(settings, 'terrane')
  try {
    await client.query(`drop table if exists ${quoteTable(settings.schema, name)}`)
  } finally {
    await client.end().catch(() => {})
  }
}
