import { Socket } from 'node:net'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { maxJsonBytes } from './json-body.ts'

export interface BodyTimes {
  /** Longest pause in a body, in milliseconds. */
  idleMs: number
  /** Longest time for a whole body of JSON. */
  smallBodyMs: number
}

const usualTimes: BodyTimes = { idleMs: 60_000, smallBodyMs: 60_000 }

/** Ends requests whose body stops arriving, and small bodies that arrive by drops. */
export function limitBodyTimes(app: App, times: BodyTimes = usualTimes): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, socket } = request.raw
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && socket instanceof Socket) watchBody(request, reply, socket, times)
    done(null, payload)
  })
}

function watchBody(
  request: FastifyRequest,
  reply: FastifyReply,
  socket: Socket,
  { idleMs, smallBodyMs }: BodyTimes,
): void {
  const end = (): void => {
    socket.destroy()
  }
  const isSmall = (request.routeOptions.bodyLimit ?? maxJsonBytes) <= maxJsonBytes
  const deadline = isSmall ? setTimeout(end, smallBodyMs) : undefined
  const stopWatching = (): void => {
    clearTimeout(deadline)
    socket.removeListener('timeout', end)
  }
  socket.setTimeout(idleMs, end)
  request.raw.once('end', () => {
    stopWatching()
    // After the response the library's limit between two requests applies.
    if (!reply.raw.writableEnded) socket.setTimeout(0)
  })
  request.raw.once('close', stopWatching)
}
