import { operation } from '../../endpoint.ts'
import { OkReply } from '../bodies.ts'
import { okStatus } from '../envelope.ts'

export interface AutoconfigureParts {
  /** Makes the hosts and services of this server and of those in its settings, where they lack. */
  autoconfigure(): Promise<void>
}

export const autoconfigure = operation({
  summary: 'Make the hosts and services of this server and of those in its settings, where they lack',
  tags: ['monitoring'],
  idempotent: true,
  answers: { 200: OkReply },
  handle: async (parts: AutoconfigureParts) => {
    await parts.autoconfigure()
    return okStatus()
  },
})
