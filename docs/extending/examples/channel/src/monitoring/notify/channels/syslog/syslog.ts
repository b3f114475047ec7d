import { once } from 'node:events'
import type { Severity } from '../../../model/records.ts'
import type { AnyMessage } from '../../model/model.ts'
import type { Channel, Outlets, ReceiverInput, Sender } from '../channel.ts'

const kind = 'syslog'
const address = /^syslog:\/\/(?:[A-Za-z\d.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):\d{1,5}$/
/** RFC 5424, section 6.2.1. */
const local0 = 16
const levels: Record<Severity, number> = { warning: 4, error: 3, fatal: 2 }
const notice = 5

/** A line in the log of a log server, by syslog over TCP. */
export const syslog: Channel = {
  name: 'syslog',
  kinds: [kind],
  field: {
    name: 'log_servers',
    caption: 'Log servers',
    description: 'Addresses of servers that take syslog over TCP, one a line',
    example: 'syslog://logs.example.org:601',
    separator: /\n/,
    maxLines: 20,
    isFirst: false,
  },
  parse: async (lines) => parseServers(lines),
  open: createSyslogSender,
}

function parseServers(lines: readonly string[]): ReceiverInput[] | string {
  if (!lines.every((line) => address.test(line) && URL.canParse(line)))
    return 'Enter addresses such as syslog://logs.example.org:601.'
  return lines.map((target) => ({ kind, target }))
}

function createSyslogSender({ outbound, identity }: Pick<Outlets, 'outbound' | 'identity'>): Sender {
  return {
    send: async ({ receiver, message }, signal) => {
      const { hostname, port } = new URL(receiver.target)
      const socket = await outbound.connect(hostname.replace(/^\[|\]$/g, ''), Number(port), signal)
      try {
        const line = logLine(message, identity.host)
        socket.end(`${Buffer.byteLength(line)} ${line}`)
        await once(socket.resume(), 'close', { signal })
      } finally {
        socket.destroy()
      }
    },
  }
}

/** RFC 5424; RFC 6587 frames it by its length. */
function logLine({ kind: what, severity, spottedAt, checkName, problems }: AnyMessage, host: string): string {
  const priority = local0 * 8 + (what === 'alert' ? levels[severity] : notice)
  const alert = problems.map(({ description }) => description).join(' ')
  const text = { alert, recovery: 'holds again', test: 'a test message' }[what]
  return `<${priority}>1 ${spottedAt} ${host} terrane - - - ${checkName}: ${text}`.replace(/\p{Cc}+/gu, ' ')
}
