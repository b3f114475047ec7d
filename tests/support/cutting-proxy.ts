import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

/**
 * A relay to a port of this host that cuts its first connections when the server has sent so many bytes; gives its port
 * and how many connections it took.
 */
export async function startCuttingProxy(
  test: TestContext,
  target: number,
  { cuts, afterBytes }: { cuts: number; afterBytes: number },
): Promise<{ port: number; connections(): number }> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    count += 1
    const isCut = count <= cuts
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    let bytes = 0
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      client.write(chunk)
      bytes += chunk.length
      if (!isCut || bytes < afterBytes) return
      client.resetAndDestroy()
      upstream.destroy()
    })
    upstream.once('close', () => client.end())
    client.once('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
  }
}
