import { createHmac } from 'node:crypto'
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { HttpAgent, httpRequest } from '../../../../core/network/node-http.ts'
import { withoutSecrets } from '../../../../core/secrets/without-secrets.ts'
import { traceHeaders } from '../../../../core/telemetry/tracing.ts'
import type { Outbound, Outlets, Parcel, Sender, ServerIdentity } from '../channel.ts'
import { configUrl } from '../channel.ts'

const maxHeaderBytes = 16 << 10

/** Returns the signature of a body that is sent at `timestamp` (seconds since 1970). */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v1=${digest}`
}

/** Posts JSON, signed with the receiver's secret. Redirects are not followed. */
export function createWebhookSender({
  outbound,
  clock,
  identity,
}: Pick<Outlets, 'outbound' | 'clock' | 'identity'>): Sender {
  return {
    send: async (parcel, signal) => {
      const body = JSON.stringify(webhookBody(parcel, identity))
      const timestamp = Math.floor(clock.now().getTime() / 1000)
      const { secret } = parcel
      if (secret === undefined) throw new Error('a webhook has no secret to sign with')
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Terrane',
        'terrane-delivery': String(parcel.deliveryId),
        'terrane-signature': signatureOf(secret, timestamp, body),
      }
      const url = new URL(parcel.receiver.target)
      try {
        const status = await post(url, { headers, body, outbound, signal })
        if (status < 200 || status > 299) throw new Error(`it answers ${status}`)
      } catch (error) {
        throw new Error(webhookFault(error, url, secret, signal))
      }
    },
  }
}

function webhookBody({ message, deliveryId }: Parcel, identity: ServerIdentity) {
  const { kind, checkId, checkName, checkDescription, severity, failingSince, spottedAt, problems } = message
  return {
    event: kind,
    delivery: deliveryId,
    host: identity.host,
    check: {
      id: checkId,
      name: checkName,
      description: checkDescription,
      severity,
      url: configUrl(identity, checkId),
    },
    failing_since: failingSince,
    spotted_at: spottedAt,
    problems: problems.map((one) => ({
      name: one.metric,
      severity: one.severity,
      message: one.message,
      description: one.description,
      offending_value: one.offendingValue,
      threshold_value: one.thresholdValue,
      valid_from: new Date(one.validFrom).toISOString(),
      valid_to: new Date(one.validTo).toISOString(),
    })),
  }
}

function webhookFault(error: unknown, url: URL, secret: string, signal: AbortSignal): string {
  const { message } = (signal.aborted ? signal.reason : error) as Error
  return `webhook ${url.host}: ${withoutSecrets(message, { password: secret })}`
}

interface Post {
  headers: Record<string, string | number>
  body: string
  outbound: Outbound
  signal: AbortSignal
}

/** Returns the status; the response body is not read. */
async function post(url: URL, { headers, body, outbound, signal }: Post): Promise<number> {
  const isSecure = url.protocol === 'https:'
  const agent = connectingAgent(isSecure, outbound, signal)
  const send = isSecure ? httpsRequest : httpRequest
  try {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, {
        method: 'POST',
        agent,
        headers: { ...headers, ...traceHeaders() },
        signal,
        maxHeaderSize: maxHeaderBytes,
      })
      request.once('response', resolve)
      request.on('error', reject)
      request.end(body)
    })
    reply.on('error', () => undefined).destroy()
    return reply.statusCode ?? 0
  } finally {
    agent.destroy()
  }
}

function connectingAgent(isSecure: boolean, outbound: Outbound, signal: AbortSignal): Agent {
  const agent = isSecure ? new HttpsAgent() : new HttpAgent()
  agent.createConnection = (options, callback) => {
    const { host: name, port } = options as RequestOptions
    const host = (name ?? '').replace(/^\[|\]$/g, '')
    const done = callback as (error: Error | null, socket?: unknown) => void
    const tls = { ca: [...outbound.authorities], ...(isIP(host) === 0 ? { servername: host } : { host }) }
    outbound.connect(host, Number(port), signal).then(
      (socket) => done(null, isSecure ? connectTls({ ...tls, socket }) : socket),
      (error: Error) => done(error),
    )
    return undefined
  }
  return agent
}
