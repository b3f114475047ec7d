import type { LoadHooks, RestoreRequest } from '../../store.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import type { Session } from '../session.ts'

/** Dependencies of restoring a state. */
export interface RestoreContext {
  settings: ConnectionSettings
  session: Session
  request: RestoreRequest
  hooks: LoadHooks
}
