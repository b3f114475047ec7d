import type { Vault } from '../../lib/secrets/vault.ts'
import type { SourceLimits } from '../../sources/limits.ts'
import type { RemoteAccess } from '../../sources/remote/remote-access.ts'
import type { ProgressBoard } from '../runtime/runtime.ts'

/** Dependencies for finding data. */
export interface InspectDeps {
  /** Folders whose files imports may use. */
  roots: readonly string[]
  folders: { uploads: string }
  limits: SourceLimits
  /** Settings for fetching remote data. */
  remote: RemoteAccess
  vault: Vault
  progress: ProgressBoard
}
