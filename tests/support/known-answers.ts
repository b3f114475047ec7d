import { until } from './until.ts'

interface Answer {
  statusCode: number
  headers: Record<string, unknown>
}

/**
 * The answer once it has an `ETag`. Answers about a layer have none while it is not certain that nobody has changed its data:
 * while a change is written down, and where a look at the store was late, as it may be on a busy machine.
 */
export async function untilTagged<Reply extends Answer>(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask()
  if (reply.headers['etag'] === undefined)
    await until(async () => {
      reply = await ask()
      return reply.headers['etag'] !== undefined || reply.statusCode >= 400
    })
  return reply
}

/** The answer once it is a 304: like a tag, it is given only while the state of the layer is certain. */
export async function untilUnchanged<Reply extends Answer>(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask()
  if (reply.statusCode !== 304)
    await until(async () => {
      reply = await ask()
      return reply.statusCode === 304
    })
  return reply
}
