import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Cleanup } from '../terrane-process.ts'
import type { ListeningReceiver, TestReceiver } from './receiver.ts'

export async function startReceiver(test: Cleanup): Promise<ListeningReceiver> {
  const received: string[] = []
  const server = await startServer(test, async (socket) => {
    let text = ''
    for await (const part of socket.setEncoding('utf8')) text += part
    received.push(text)
  })
  return { line: server.address, received: () => received, refuse: server.close }
}

export async function startSilentReceiver(test: Cleanup): Promise<TestReceiver> {
  return { line: (await startServer(test, () => undefined)).address }
}

async function startServer(test: Cleanup, take: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    take(socket)
  })
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(close)
  return { address: `syslog://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
