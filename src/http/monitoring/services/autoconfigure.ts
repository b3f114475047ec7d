import { operation } from '../../endpoint.ts'
import { OkReply } from '../bodies.ts'
import { okStatus } from '../envelope.ts'

export interface AutoconfigureApiDeps {
  /** Creates missing hosts and services for this server and those in its settings. */
  autoconfigure(): Promise<void>
}

export const autoconfigure = operation({
  summary: 'Make the hosts and services of this server and of those in its settings, where they lack',
  description:
    'Adds the services of `TERRANE_MAP_SERVERS` and this server where they are missing; existing ones stay as they are. Needs the role `admin`.',
  tags: ['monitoring'],
  idempotent: true,
  answers: { 200: OkReply },
  handle: async (deps: AutoconfigureApiDeps) => {
    await deps.autoconfigure()
    return okStatus()
  },
})
