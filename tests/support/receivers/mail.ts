import { startMailServer, startOddMailServer } from '../mail-server.ts'
import type { Cleanup } from '../terrane-process.ts'
import type { ListeningReceiver, TestReceiver } from './receiver.ts'

const line = 'duty@example.org'

export async function startReceiver(test: Cleanup): Promise<ListeningReceiver> {
  const server = await startMailServer(test)
  return {
    line,
    options: { smtpUrl: server.url },
    received: () => server.mails.map(({ subject, text }) => `${subject}\n${text}`),
    refuse: () => {
      server.refusal = new Error('no such mailbox')
    },
  }
}

export async function startSilentReceiver(test: Cleanup): Promise<TestReceiver> {
  return { line, options: { smtpUrl: (await startOddMailServer(test, {})).url } }
}
