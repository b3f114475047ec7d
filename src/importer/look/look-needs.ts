import type { Vault } from '../../lib/secrets/vault.ts'
import type { SourceLimits } from '../../sources/limits.ts'
import type { RemoteAccess } from '../../sources/remote/remote-access.ts'
import type { ProgressBoard } from '../live/live.ts'

/** What finding data needs. */
export interface LookNeeds {
  /** Folders that imports may name files in. */
  roots: readonly string[]
  folders: { uploads: string }
  limits: SourceLimits
  /** How remote data are fetched. */
  remote: RemoteAccess
  vault: Vault
  progress: ProgressBoard
}
