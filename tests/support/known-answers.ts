import { until } from './until.ts'

interface Answer {
  statusCode: number
  headers: Record<string, unknown>
}

/**
 * Repeats the request until the response has an `ETag`. Responses about a layer have none while changes to
 * its data by others cannot be ruled out: while a change is being recorded, and if the check of the store was
 * late, as on a busy machine.
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

/**
 * Repeats the request until the response is a 304, which the server sends only while the state of the layer
 * is certain, as with the tag.
 */
export async function untilUnchanged<Reply extends Answer>(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask()
  if (reply.statusCode !== 304)
    await until(async () => {
      reply = await ask()
      return reply.statusCode === 304
    })
  return reply
}
