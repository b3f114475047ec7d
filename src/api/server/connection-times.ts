import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { App, FastifyReply } from '../app-types.ts'

export interface ConnectionTimes {
  /** From the connection, or the end of the request before, to the end of a request's head. */
  headMs: number
  /** Longest pause between two requests of a connection. */
  betweenMs: number
  /** Interval of checking connections. */
  checkMs: number
  /** Longest pause in which a client reads nothing of a streamed response. */
  stalledMs: number
}

export const usualConnectionTimes: ConnectionTimes = {
  headMs: 30_000,
  betweenMs: 72_000,
  checkMs: 5000,
  stalledMs: 300_000,
}

/**
 * Returns options of the HTTP server that close connections which send nothing, or a head very slowly; bodies
 * have their own limits.
 */
export function connectionOptions({ headMs, betweenMs, checkMs }: ConnectionTimes) {
  return {
    requestTimeout: 0,
    keepAliveTimeout: betweenMs,
    http: { headersTimeout: headMs, connectionsCheckingInterval: checkMs },
  }
}

/** Ends streamed responses that the client does not read, and releases their sources. */
export function limitStalledAnswers(app: App, { stalledMs }: ConnectionTimes): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { socket } = request.raw
    if (payload instanceof Readable && socket instanceof Socket) endWhenStalled(reply, socket, stalledMs)
    done()
  })
}

function endWhenStalled(reply: FastifyReply, socket: Socket, stalledMs: number): void {
  const end = (): void => {
    socket.destroy()
  }
  socket.setTimeout(stalledMs, end)
  // Once all is sent the time runs that the library gives a connection between two requests: it is not touched.
  reply.raw.once('close', () => socket.removeListener('timeout', end))
}
