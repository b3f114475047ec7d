import { orAborted } from '../../../core/concurrency/or-aborted.ts'
import type { Vault } from '../../../core/secrets/vault.ts'
import type { Parcel } from '../channels/channel.ts'
import type { OpenChannels } from '../channels/open-channels.ts'

const defaultAttemptMs = 30_000

export interface SendDeps {
  channels: Pick<OpenChannels, 'find'>
  /** Decrypts the secrets that receivers share with this server. */
  vault: Pick<Vault, 'open'>
  /** Time limit of one attempt; default: 30 s. */
  attemptMs?: number
}

/** Sends a message to one receiver by its channel. Throws an error whose message contains no secret. */
export async function sendTo(
  { channels, vault, attemptMs = defaultAttemptMs }: SendDeps,
  parcel: Omit<Parcel, 'secret'>,
  stopping: AbortSignal,
): Promise<void> {
  const { receiver } = parcel
  const channel = channels.find(receiver)
  if (!('send' in channel)) throw new Error(channel.reason)
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(attemptMs)])
  const secret = receiver.secret === '' ? undefined : vault.open(receiver.secret)
  await orAborted(channel.send({ ...parcel, secret }, signal), signal).catch((error: unknown) => {
    throw signal.aborted ? new Error(`no answer within ${attemptMs / 1000} s`, { cause: error }) : error
  })
}
