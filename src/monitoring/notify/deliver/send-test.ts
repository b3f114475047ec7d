import type { Clock } from '../../../core/time/clock.ts'
import { WorkQueue } from '../../../core/workers/work-queue.ts'
import { channelOf } from '../channels/channels.ts'
import type { Check, NotificationMessage, Receiver } from '../model/model.ts'
import type { SendDeps } from './send-to.ts'
import { sendTo } from './send-to.ts'

const atOnce = 8
/** Not the id of a stored delivery. */
const noDelivery = 0

/** Result of a test message to one receiver. */
export interface TestResult {
  receiver: string
  /** Why it was not delivered; absent on success. */
  error?: string
}

/** Sends each receiver one message that is marked as a test, and returns the results. */
export async function sendTest(
  deps: SendDeps & { clock: Clock },
  { check, receivers }: { check: Check; receivers: readonly Receiver[] },
  signal: AbortSignal,
): Promise<TestResult[]> {
  const message = testMessage(check, deps.clock.now().toISOString())
  const { graceSeconds } = check
  const turns = new WorkQueue({ limit: atOnce })
  return Promise.all(
    receivers.map((receiver) =>
      turns.run(async (): Promise<TestResult> => {
        const caption = channelOf(receiver)?.captionOf?.(receiver) ?? receiver.target
        try {
          await sendTo(deps, { receiver, message, deliveryId: noDelivery, graceSeconds }, signal)
          return { receiver: caption }
        } catch (error) {
          return { receiver: caption, error: error instanceof Error ? error.message : String(error) }
        }
      }),
    ),
  )
}

function testMessage({ id, name, description, severity }: Check, at: string): NotificationMessage<'test'> {
  return {
    kind: 'test',
    checkId: id,
    checkName: name,
    checkDescription: description,
    severity,
    spottedAt: at,
    failingSince: at,
    problems: [],
  }
}
