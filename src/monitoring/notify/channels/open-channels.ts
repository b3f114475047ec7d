import type { Receiver } from '../model/model.ts'
import type { Channel, Closed, Outlets, Sender } from './channel.ts'
import { channelOf, channels } from './channels.ts'

/** The channels of one server. */
export class OpenChannels {
  readonly #opened: ReadonlyMap<Channel | undefined, Sender | Closed>

  constructor(outlets: Outlets) {
    this.#opened = new Map(channels.map((channel) => [channel, channel.open(outlets)]))
  }

  /** Returns the sender for a receiver, or why it cannot be reached. */
  find(receiver: Pick<Receiver, 'kind'>): Sender | Closed {
    return this.#opened.get(channelOf(receiver)) ?? unknownKind(receiver.kind)
  }

  canReach(receiver: Pick<Receiver, 'kind'>): boolean {
    return 'send' in this.find(receiver)
  }

  /** Returns why messages cannot be sent. */
  notices(): string[] {
    return [...this.#opened.values()].flatMap((one) => ('send' in one ? [] : [one.notice]))
  }
}

function unknownKind(kind: string): Closed {
  const reason = `receivers of kind "${kind}" are not known here`
  return { notice: reason, reason }
}
