import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { SyslogSettings } from '../core/config/access-settings.ts'
import type { Logger } from '../core/log/logger.ts'
import type { AuditEntry } from './records.ts'

/** Facility "log audit" (13), severities "notice" and "warning" (RFC 5424, section 6.2.1). */
const facility = 13
const notice = 5
const warning = 4
const maxQueued = 10_000
const retryMs = 5_000
const stopMs = 2_000
/** Larger datagrams may be lost. */
const maxDatagramBytes = 8192

/** Sends entries to a syslog server. */
export interface Syslog {
  send(entry: AuditEntry): void
  /** Sends the queued messages, for at most two seconds. */
  close(): Promise<void>
}

/** Formats an entry as a message of RFC 5424; its text is JSON. */
function toSyslogMessage(entry: AuditEntry, host = hostname()): string {
  const severity = entry.outcome === 'done' ? notice : warning
  const head = `<${facility * 8 + severity}>1 ${entry.time} ${toName(host, 255)} terrane ${process.pid} ${toName(entry.action, 32)} -`
  const { before, after, ...plain } = entry
  const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))
  return `${head} ${JSON.stringify({ ...plain, before: parse(before), after: parse(after) })}`
}

/** Reduces a name to printable ASCII characters (section 6). */
function toName(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, length) || '-'
}

/** Opens a sender. Messages wait in a bounded queue while the server cannot be reached. */
export function createSyslog(settings: SyslogSettings, log: Logger): Syslog {
  return settings.protocol === 'udp' ? overUdp(settings, log) : new StreamSyslog(settings, log)
}

function overUdp({ host, port }: SyslogSettings, log: Logger): Syslog {
  const socket: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.unref()
  const report = (error: Error | null): void => {
    if (error !== null) log.error({ err: error }, 'an audit entry was not sent to syslog')
  }
  socket.on('error', report)
  return {
    send: (entry) =>
      socket.send(Buffer.from(toSyslogMessage(entry)).subarray(0, maxDatagramBytes), port, host, report),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/**
 * Sends messages over TCP or TLS, framed by octet counting (RFC 6587, section 3.4.1; RFC 5425, section 4.3).
 */
class StreamSyslog implements Syslog {
  readonly #settings: SyslogSettings
  readonly #log: Logger
  readonly #queue: string[] = []
  #socket: Socket | undefined
  #isReady = false
  #isClosed = false
  #retry: NodeJS.Timeout | undefined

  constructor(settings: SyslogSettings, log: Logger) {
    this.#settings = settings
    this.#log = log
  }

  send(entry: AuditEntry): void {
    if (this.#queue.length >= maxQueued) {
      this.#log.error('an audit entry was not sent to syslog: the queue is full')
      return
    }
    const message = toSyslogMessage(entry)
    this.#queue.push(`${Buffer.byteLength(message)} ${message}`)
    this.#flush()
  }

  async close(): Promise<void> {
    this.#flush()
    const end = Date.now() + stopMs
    while (this.#queue.length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    this.#isClosed = true
    clearTimeout(this.#retry)
    if (this.#queue.length > 0)
      this.#log.error({ entries: this.#queue.length }, 'audit entries were not sent to syslog')
    await new Promise<void>((resolve) => {
      if (this.#socket === undefined || this.#socket.destroyed) return resolve()
      this.#socket.end(() => resolve())
      setTimeout(() => this.#socket?.destroy(), stopMs).unref()
      this.#socket.once('close', () => resolve())
    })
  }

  #flush(): void {
    if (this.#isReady && this.#socket !== undefined) {
      for (const message of this.#queue.splice(0)) this.#socket.write(message)
    } else if (this.#socket === undefined && this.#retry === undefined && !this.#isClosed) this.#connect()
  }

  #connect(): void {
    const { protocol, host, port } = this.#settings
    const options = { host, port, timeout: 10_000 }
    const socket = protocol === 'tls' ? connectTls({ ...options, servername: host }) : connect(options)
    this.#socket = socket
    socket.unref()
    socket.once(protocol === 'tls' ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0)
      this.#isReady = true
      this.#flush()
    })
    socket.on('timeout', () => socket.destroy(new Error('no connection within 10 s')))
    socket.on('error', (error) => this.#log.error({ err: error }, 'syslog cannot be reached'))
    socket.on('data', () => undefined)
    socket.on('close', () => this.#again())
  }

  #again(): void {
    this.#socket = undefined
    this.#isReady = false
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (this.#queue.length > 0) this.#flush()
    }, retryMs).unref()
  }
}
