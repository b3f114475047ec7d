import type { App } from '../app-types.ts'

/** Address of a client that was gone before the server accepted its connection. */
const unknownAddress = 'unknown'

/**
 * Reads the address of each client when its connection is accepted. Node caches the address; the system
 * forgets it when the client resets the connection.
 */
export function keepClientAddresses(app: App): void {
  app.server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined)
      Object.defineProperty(socket, 'remoteAddress', { value: unknownAddress })
  })
}
