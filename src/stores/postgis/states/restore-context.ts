import type { LoadHooks, RestoreRequest } from '../../store.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import type { Session } from '../session.ts'

/** What a way back is gone with. */
export interface RestoreContext {
  settings: ConnectionSettings
  session: Session
  request: RestoreRequest
  hooks: LoadHooks
}
