import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { withoutSecrets } from '../../../../core/secrets/without-secrets.ts'
import type { Sender, ServerIdentity } from '../channel.ts'
import { toMail } from './mail-message.ts'
import { mailAddress } from './mail-receivers.ts'

/** Mail server and origin of mails. */
export interface MailOptions {
  /** `smtp:` or `smtps:`. */
  url: URL
  /** Sender address; default: `terrane@` followed by the host name. */
  from?: string
  identity: ServerIdentity
  /** Additional trusted certificate authorities, in PEM. */
  authorities: readonly string[]
}

const stepMs = 10_000

/** True if the address can only be this machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

function transportOptions({ url, authorities }: MailOptions) {
  const { hostname: host, port, protocol } = url
  const isSecure = protocol === 'smtps:'
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && user !== '' && !isLoopback(host),
    tls: { ca: [...authorities], rejectUnauthorized: true },
    auth: user === '' ? undefined : { user, pass },
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Returns the part of an address after `@`; IP addresses are enclosed in brackets. */
function mailDomain(host: string): string {
  const version = isIP(host)
  if (version === 0) return host
  return version === 6 ? `[IPv6:${host}]` : `[${host}]`
}

/** A mail to one address. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  attachments?: readonly { filename: string; content: string; contentType: string }[]
  /** Unique part of its `Message-ID`, equal at every attempt. */
  id: string
}

/** Sends mails by SMTP. */
export interface Mailer {
  /** Throws an error whose message contains no secret. */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** Creates a sender of mails. A password never crosses a network unencrypted. */
export function createMailer(options: MailOptions): Mailer {
  const { url, identity } = options
  const settings = transportOptions(options)
  const domain = mailDomain(identity.host)
  const from = options.from ?? `terrane@${isIP(identity.host) === 0 ? identity.host : hostname()}`
  return {
    send: async ({ to: address, subject, text, html, attachments = [], id }, signal) => {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(settings)
      try {
        await transport.sendMail({
          subject,
          text,
          html,
          attachments: [...attachments],
          from,
          to: { name: '', address },
          messageId: `<terrane-${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          signal,
        })
      } catch (error) {
        throw new Error(mailFault(error, url))
      } finally {
        transport.close()
      }
    },
  }
}

/** Sends messages about checks by SMTP, one mail per receiver. */
export function createMailSender(options: MailOptions): Sender {
  const mailer = createMailer(options)
  return {
    send: async ({ receiver, message, deliveryId, graceSeconds }, signal) => {
      const to = mailAddress(receiver)
      if (to === undefined || to === '') throw new Error(`user ${receiver.target} has no address`)
      const id = `${deliveryId}-${Date.parse(message.spottedAt)}`
      await mailer.send({ ...toMail(message, graceSeconds, options.identity), to, id }, signal)
    },
  }
}

function mailFault(error: unknown, url: URL): string {
  const { message, code } = error as NodeJS.ErrnoException
  const username = decodeURIComponent(url.username)
  const text = withoutSecrets(message, { username, password: decodeURIComponent(url.password) })
  return `mail server ${url.host}: ${text}${code === undefined || text.includes(code) ? '' : ` (${code})`}`
}
