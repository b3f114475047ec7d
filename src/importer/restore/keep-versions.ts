import { type Catalog, publishMode } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import { dropUnknownStates } from './drop-unknown.ts'
import type { Restores } from './restores.ts'

interface RetainVersionsDeps {
  catalog: Catalog
  database: Database
  events: EventBus
  log: Logger
  restores: Restores
  locks: ImportLocks
}

/** Handle of a background task. */
export interface VersionKeeping {
  stop(): Promise<void>
}

const pruneDelayMs = 2000
const longestWaitMs = 3_600_000

/**
 * Removes surplus retained contents of each store while no load is in progress there: two concurrent writers
 * to one file do not see each other's changes.
 */
export function pruneInTurn({
  catalog,
  locks,
}: Pick<RetainVersionsDeps, 'catalog' | 'locks'>): Promise<void> {
  return catalog.versions.prune((store, work) =>
    findStoreDescription(store.type)?.can.oneLoadAtATime === true
      ? locks.hold(`store ${store.id}`, work, AbortSignal.timeout(longestWaitMs))
      : work(),
  )
}

/**
 * Completes what an earlier process started; from then on removes surplus retained contents after each
 * change.
 */
export async function keepVersions(deps: RetainVersionsDeps): Promise<VersionKeeping> {
  const { catalog, events, log } = deps
  await catalog.layers
    .finishDeletions()
    .catch((error: unknown) =>
      log.error({ err: error }, 'the contents of a deleted table were not stored yet'),
    )
  const sweeping = dropUnknownStates(deps)
  let timer: NodeJS.Timeout | undefined
  const prune = async (): Promise<void> => {
    timer = undefined
    await pruneInTurn(deps).catch((error: unknown) =>
      log.error({ err: error }, 'old versions could not be removed'),
    )
  }
  const pruneSoon = (): void => {
    timer ??= setTimeout(() => void prune(), pruneDelayMs).unref()
  }
  const stopListening = [
    events.on('layer.published', ({ mode }) => {
      if (mode !== 'CREATE' && mode !== publishMode) pruneSoon()
    }),
    events.on('layer.removed', pruneSoon),
  ]
  return {
    stop: async () => {
      for (const stop of stopListening) stop()
      clearTimeout(timer)
      await sweeping.catch(() => undefined)
    },
  }
}
