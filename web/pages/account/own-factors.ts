import type { Calls } from '../../api/openapi.d.ts'

export type Passkey = Calls['GET /rest/security/self/factors']['answer']['factors']['passkeys'][number]

/** Endpoint of the caller's own account. */
export const path = '/rest/security/self'

export interface FactorDialogProps {
  onClose(): void
  /** Reloads what the dialog has changed. */
  onDone(): Promise<void>
}
