import type { Catalog } from '../../catalog/catalog.ts'
import type { Database } from '../../db/connection.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../live/live.ts'
import { dropUnknownStates } from './drop-unknown.ts'
import type { Restores } from './restores.ts'

interface KeepingNeeds {
  catalog: Catalog
  database: Database
  events: EventBus
  log: Logger
  restores: Restores
  locks: ImportLocks
}

/** Work in the background that has begun. */
export interface VersionKeeping {
  stop(): Promise<void>
}

const pruneDelayMs = 2000
const longestWaitMs = 3_600_000

/** Lets go what is too much of each store when no load is under way there: two who write to one file at once hide one another. */
export function pruneInTurn({ catalog, locks }: Pick<KeepingNeeds, 'catalog' | 'locks'>): Promise<void> {
  return catalog.versions.prune((store, work) =>
    findStoreDescription(store.type)?.can.oneLoadAtATime === true
      ? locks.hold(`store ${store.id}`, work, AbortSignal.timeout(longestWaitMs))
      : work(),
  )
}

/** Ends what an earlier process has begun, and from then on lets go what is too much after each change. */
export async function keepVersions(needs: KeepingNeeds): Promise<VersionKeeping> {
  const { catalog, events, log } = needs
  await catalog.layers
    .finishDeletions()
    .catch((error: unknown) => log.error({ err: error }, 'a deleted table was not put aside yet'))
  const sweeping = dropUnknownStates(needs)
  let timer: NodeJS.Timeout | undefined
  const prune = async (): Promise<void> => {
    timer = undefined
    await pruneInTurn(needs).catch((error: unknown) =>
      log.error({ err: error }, 'old versions could not be removed'),
    )
  }
  const pruneSoon = (): void => {
    timer ??= setTimeout(() => void prune(), pruneDelayMs).unref()
  }
  const stopListening = [
    events.on('layer.published', ({ mode }) => {
      if (mode !== 'CREATE') pruneSoon()
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
