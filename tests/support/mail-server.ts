import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { SMTPServer } from 'smtp-server'
import type { Cleanup } from './terrane-process.ts'

/** A mail as it arrived. */
interface ReceivedMail {
  from: string
  to: string[]
  /** Raw header lines, unfolded. */
  headers: string[]
  subject: string
  text: string
  html: string
  /** The whole mail as it was sent. */
  raw: string
}

export interface MailServer {
  /** `smtp://127.0.0.1:port` */
  url: string
  port: number
  mails: ReceivedMail[]
  /** Number of SMTP sessions started. */
  conversations: number
  /** Error to send for every recipient, such as `new Error('no such user')`. */
  refusal: Error | undefined
}

/** Starts a real SMTP server on this host that stores the received mails, and stops it after the test. */
export async function startMailServer(test: Cleanup, options: SMTPServerOptions = {}): Promise<MailServer> {
  const state: MailServer = { url: '', port: 0, mails: [], conversations: 0, refusal: undefined }
  const server = new SMTPServer({
    authOptional: options.onAuth === undefined,
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    logger: false,
    onConnect: (_session, done) => {
      state.conversations += 1
      done()
    },
    onRcptTo: (_address, _session, done) => done(state.refusal),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const bytes = Buffer.concat(chunks)
        state.mails.push({
          from,
          to: rcptTo.map(({ address }) => address),
          ...parseMail(bytes),
          raw: bytes.toString('latin1'),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => new Promise<void>((resolve) => server.close(resolve)))
  state.port = (server.server.address() as AddressInfo).port
  state.url = `smtp://127.0.0.1:${state.port}`
  return state
}

/**
 * Starts a server that accepts connections and then sends `greeting`, or nothing, or closes the connection.
 */
export async function startOddMailServer(
  test: Cleanup,
  behaviour: { greeting?: string; ends?: boolean },
): Promise<{ url: string; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    if (behaviour.greeting !== undefined) socket.write(behaviour.greeting)
    if (behaviour.ends === true) socket.end()
    test.after(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections }
}

/** The parts of a mail with a text and an HTML alternative. */
function parseMail(raw: Buffer): Pick<ReceivedMail, 'headers' | 'subject' | 'text' | 'html'> {
  const { headers, body } = splitPart(raw.toString('latin1'))
  const parts = partsOf(headers, body)
  const contentOf = (type: string): string => {
    const part = parts.find((one) => headerOf(one.headers, 'content-type').startsWith(type))
    return part === undefined
      ? ''
      : decodeBody(part.body, headerOf(part.headers, 'content-transfer-encoding'))
  }
  return {
    headers,
    subject: decodeWords(headerOf(headers, 'subject')),
    text: contentOf('text/plain'),
    html: contentOf('text/html'),
  }
}

/** Parts of a multipart body, with those of parts that are multipart themselves. */
function partsOf(headers: readonly string[], body: string): { headers: string[]; body: string }[] {
  const boundary = /boundary="?([^";]+)"?/.exec(headerOf(headers, 'content-type'))?.[1]
  if (boundary === undefined) return []
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.replace(/^\r\n/, '')))
    .flatMap((part) => [part, ...partsOf(part.headers, part.body)])
}

function splitPart(text: string): { headers: string[]; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const headers = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  return { headers, body: text.slice(end + 4) }
}

function headerOf(headers: readonly string[], name: string): string {
  return (
    headers
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? ''
  )
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  const bytes = encoding === 'quoted-printable' ? fromQuoted(body.replace(/=\r\n/g, '')) : body
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}

function fromQuoted(text: string): string {
  return text.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : Buffer.from(fromQuoted(word.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    )
}
