import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

export interface Gate {
  port: number
  /** Ends every connection at once; from now on nothing listens. */
  shut(): void
  /** Lets connections through again, on the same port. */
  open(): Promise<void>
}

/** A relay to a port of this host that can be shut, as if the server behind it were gone, and opened again. */
export async function startGate(test: TestContext, target: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)))
    }
    client.pipe(upstream).pipe(client)
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
  })
  let port = 0
  const open = async (): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  }
  const shut = (): void => {
    server.close()
    for (const socket of sockets) socket.resetAndDestroy()
  }
  await open()
  test.after(shut)
  return { port, shut, open }
}
