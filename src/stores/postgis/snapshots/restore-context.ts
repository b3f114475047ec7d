import type { LoadHooks, RestoreRequest } from '../../store.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import type { PostgisSession } from '../session.ts'

/** Dependencies of restoring a state. */
export interface RestoreContext {
  settings: ConnectionSettings
  session: PostgisSession
  request: RestoreRequest
  hooks: LoadHooks
}
