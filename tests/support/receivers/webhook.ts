import type { Cleanup } from '../terrane-process.ts'
import { startWebServer } from '../web-server.ts'
import type { ListeningReceiver, TestReceiver } from './receiver.ts'

export async function startReceiver(test: Cleanup): Promise<ListeningReceiver> {
  const received: string[] = []
  let status = 204
  const url = await startWebServer(test, async (request, reply) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (status === 204) received.push(body)
    reply.writeHead(status).end()
  })
  return {
    line: `${url}/hook a-secret-of-ours`,
    received: () => received,
    refuse: () => {
      status = 500
    },
  }
}

export async function startSilentReceiver(test: Cleanup): Promise<TestReceiver> {
  return { line: `${await startWebServer(test, () => undefined)}/hook` }
}
