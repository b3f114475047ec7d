import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * State of the network between a server and its database. `cut` closes connections and accepts no others; `half-open` passes
 * nothing on and closes nothing, as a firewall that forgets connections.
 */
type NetworkState = 'open' | 'cut' | 'half-open' | { delayMs: number }

export interface FaultyProxy {
  /** The same URL through the proxy. */
  url(databaseUrl: string): string
  set(state: NetworkState): void
  /** Sends new connections to another port of this host. */
  redirect(port: number): void
}

/** A relay to a port of this host, with faults. It ends after the test. */
export async function startFaultyProxy(
  t: { after(work: () => void): void },
  target: number,
): Promise<FaultyProxy> {
  let state: NetworkState = 'open'
  let port = target
  const sockets = new Set<Socket>()
  const held = new Set<() => void>()
  const passes = async (): Promise<void> => {
    if (typeof state === 'object') await sleep(state.delayMs)
    while (state === 'half-open') await new Promise<void>((resolve) => held.add(resolve))
  }
  const relay = (from: Socket, to: Socket): void => {
    let last = Promise.resolve()
    from.on('data', (chunk) => {
      last = last.then(async () => {
        await passes()
        if (!to.destroyed) to.write(chunk)
      })
    })
    from.once('close', () => void last.then(passes).then(() => to.destroy()))
  }
  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    }
    relay(client, upstream)
    relay(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const closeAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const release = (): void => {
    for (const resolve of held) resolve()
    held.clear()
  }
  t.after(() => {
    state = 'cut'
    server.close()
    release()
    closeAll()
  })
  const address = server.address()
  const ownPort = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(ownPort) }).href,
    set: (next) => {
      state = next
      release()
      if (state === 'cut') closeAll()
    },
    redirect: (next) => {
      port = next
      closeAll()
    },
  }
}
