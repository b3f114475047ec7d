import type { Socket } from 'node:net'
import type { Message } from '../model/model.ts'
import type { FullReceiver } from '../records/receiver-repository.ts'

export interface Parcel {
  receiver: FullReceiver
  message: Message
  /** The same at every attempt. */
  deliveryId: number
  /** Of the check, as it is now. */
  graceSeconds: number
}

/** A way to reach receivers of some kinds. `send` throws an error whose message tells no secret. */
export interface Channel {
  send(parcel: Parcel, signal: AbortSignal): Promise<void>
}

/** Opens a connection to an address that may be reached, and to no other. */
export interface Outbound {
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>
  /** Certificates that servers may be vouched for by, in PEM. */
  authorities: readonly string[]
}
