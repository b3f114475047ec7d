import type { Cleanup } from '../terrane-process.ts'
import type { WatchOptions } from '../watched-checks.ts'

/** A receiver of a channel that runs in the test. */
export interface TestReceiver {
  /** What is to be written into the channel's field to reach it. */
  line: string
  /** What the server needs to reach it, beside that private addresses are allowed. */
  options?: WatchOptions
}

/** One that can be looked at. */
export interface ListeningReceiver extends TestReceiver {
  /** What has arrived, message by message, as readable text. */
  received(): readonly string[]
  /** Takes nothing any more. */
  refuse(): void | Promise<void>
}

/** How a test starts receivers of a channel: what `receivers/<name of the channel>.ts` exports. */
export interface TestReceivers {
  startReceiver(test: Cleanup): Promise<ListeningReceiver>
  /** One that takes connections and never says anything. */
  startSilentReceiver(test: Cleanup): Promise<TestReceiver>
}
