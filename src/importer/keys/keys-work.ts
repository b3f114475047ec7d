import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { WorkLocation } from '../worker/open-rows.ts'
import { checkStore } from '../worker/trusted-databases.ts'
import type { KeySearchRequest, KeySearchResult } from './find-keys.ts'
import { findKeys } from './find-keys.ts'

function handlersAt(location: WorkLocation) {
  return {
    find: async (request: KeySearchRequest, { signal }: CallContext): Promise<KeySearchResult[]> => {
      checkStore(location, request.target.connection)
      return findKeys(request, location, signal)
    },
  }
}

/** Operations of the worker that finds keys. */
export type KeysWork = ReturnType<typeof handlersAt>

serveWork<KeysWork, WorkLocation>((place, _tell, allowReset) => {
  allowReset()
  return handlersAt(place)
})
