import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { Cleanup } from './terrane-process.ts'

/**
 * Faults of connections: they pass, break after some bytes of the server, stay silent, are refused, or are
 * answered with 503.
 */
type Trouble = 'none' | 'silent' | 'refused' | 'unavailable' | { cutAfterBytes: number }

/** A relay to a port of this host, whose trouble a test sets. */
export interface TroubledProxy {
  port: number
  /** Sets the trouble; open connections end. */
  set(trouble: Trouble): void
}

const unavailable =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: 54\r\n\r\n' +
  '<Error><Code>SlowDown</Code><Message>x</Message></Error>'.slice(0, 54)

/** Starts a relay between a server under test and a store of files. */
export async function startTroubledProxy(t: Cleanup, target: number): Promise<TroubledProxy> {
  let trouble: Trouble = 'none'
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined))
    if (trouble === 'refused') client.resetAndDestroy()
    else if (trouble === 'unavailable') client.once('data', () => client.end(unavailable))
    else if (trouble !== 'silent') relay(client, trouble === 'none' ? undefined : trouble.cutAfterBytes)
  })
  const relay = (client: Socket, cutAfterBytes = Number.POSITIVE_INFINITY): void => {
    const upstream = connect(target, '127.0.0.1')
    sockets.add(upstream.on('error', () => client.destroy()))
    let bytes = 0
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes >= cutAfterBytes) client.resetAndDestroy()
      else if (!client.write(chunk)) {
        upstream.pause()
        client.once('drain', () => upstream.resume())
      }
    })
    upstream.once('close', () => client.end())
    client.once('close', () => upstream.destroy())
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  t.after(() => {
    server.close()
    close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    set: (next) => {
      trouble = next
      close()
    },
  }
}
