import type { App, FastifyRequest } from './app-types.ts'
import { maxJsonBytes } from './json-body.ts'

const idleMs = 60_000
const smallBodyMs = 60_000

/** Ends requests whose body stops arriving, and small bodies that arrive by drops. */
export function limitBodyTimes(app: App): void {
  app.addHook('preParsing', async (request) => {
    const stopWatching = watchBody(request)
    request.raw.once('end', stopWatching).once('close', stopWatching)
  })
}

function watchBody(request: FastifyRequest): () => void {
  const { raw } = request
  const end = (): void => {
    raw.destroy()
  }
  const isSmall = (request.routeOptions.bodyLimit ?? maxJsonBytes) <= maxJsonBytes
  const deadline = isSmall ? setTimeout(end, smallBodyMs) : undefined
  raw.setTimeout(idleMs, end)
  return () => {
    clearTimeout(deadline)
    raw.setTimeout(0)
    raw.socket?.removeListener('timeout', end)
  }
}
