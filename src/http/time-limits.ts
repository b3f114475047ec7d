import { Socket } from 'node:net'
import type { App, FastifyRequest } from './app-types.ts'
import { maxJsonBytes } from './json-body.ts'

const idleMs = 60_000
const smallBodyMs = 60_000

/** Ends requests whose body stops arriving, and small bodies that arrive by drops. */
export function limitBodyTimes(app: App): void {
  app.addHook('preParsing', async (request) => {
    const { headers, socket } = request.raw
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && socket instanceof Socket) watchBody(request, socket)
  })
}

function watchBody(request: FastifyRequest, socket: Socket): void {
  const end = (): void => {
    socket.destroy()
  }
  const isSmall = (request.routeOptions.bodyLimit ?? maxJsonBytes) <= maxJsonBytes
  const deadline = isSmall ? setTimeout(end, smallBodyMs) : undefined
  const stopWatching = (): void => {
    clearTimeout(deadline)
    socket.setTimeout(0).removeListener('timeout', end)
  }
  socket.setTimeout(idleMs, end)
  request.raw.once('end', stopWatching).once('close', stopWatching)
}
