import type { CallContext } from '../../lib/workers/handlers.ts'
import { serveWork } from '../../lib/workers/serve-work.ts'
import type { LoadPlace } from '../worker/open-rows.ts'
import { checkStore } from '../worker/trusted-databases.ts'
import type { FoundKey, KeyWish } from './find-keys.ts'
import { findKeys } from './find-keys.ts'

function handlersAt(place: LoadPlace) {
  return {
    find: async (wish: KeyWish, { signal }: CallContext): Promise<FoundKey[]> => {
      checkStore(place, wish.target.connection)
      return findKeys(wish, place, signal)
    },
  }
}

/** Operations of the worker that finds keys. */
export type KeysWork = ReturnType<typeof handlersAt>

serveWork<KeysWork, LoadPlace>(handlersAt)
