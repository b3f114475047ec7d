import type { Cleanup } from '../terrane-process.ts'
import type { WatchOptions } from '../watched-checks.ts'

/** A receiver of a channel that runs in the test. */
export interface TestReceiver {
  /** Value of the channel's field that selects this receiver. */
  line: string
  /** Settings that the server needs to reach the receiver, besides permission for private addresses. */
  options?: WatchOptions
}

/** Receiver whose messages a test can read. */
export interface ListeningReceiver extends TestReceiver {
  /** Returns the messages received, as readable text. */
  received(): readonly string[]
  /** Takes nothing any more. */
  refuse(): void | Promise<void>
}

/** Starts receivers of a channel: the exports of `receivers/<name of the channel>.ts`. */
export interface TestReceivers {
  startReceiver(test: Cleanup): Promise<ListeningReceiver>
  /** Starts a receiver that accepts connections and never sends anything. */
  startSilentReceiver(test: Cleanup): Promise<TestReceiver>
}
