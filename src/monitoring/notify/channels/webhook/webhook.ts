import { randomBytes } from 'node:crypto'
import type { Channel, ReceiverInput, ReceiverLookup } from '../channel.ts'
import { createWebhookSender } from './post-webhook.ts'

const kind = 'webhook'
const maxUrlLength = 2000
const secretShape = /^[\x21-\x7e]{8,200}$/

/** Sends HTTP requests, signed with a secret that the receiver knows. */
export const webhook: Channel = {
  name: 'webhook',
  kinds: [kind],
  field: {
    name: 'webhooks',
    caption: 'Webhooks',
    description: 'Addresses, one a line, each with a blank and a secret behind it where one is wanted',
    example: 'https://hooks.example.org/terrane',
    separator: /\n/,
    maxLines: 20,
    isFirst: false,
    secretsName: 'webhook_secrets',
  },
  parse: async (lines, known) => parseWebhooks(lines, known),
  open: createWebhookSender,
}

/**
 * One URL per line, followed by a space and the signing secret. A new URL without a secret gets a generated
 * one; a known URL keeps its secret.
 */
function parseWebhooks(lines: readonly string[], { targets }: ReceiverLookup): ReceiverInput[] | string {
  const receivers: ReceiverInput[] = []
  for (const line of lines) {
    const [text = '', given, ...rest] = line.split(/\s+/)
    const target = toWebhookUrl(text)
    if (target === undefined || rest.length > 0)
      return 'Enter addresses that begin with http:// or https://, without a password.'
    if (given !== undefined && !secretShape.test(given))
      return 'A secret has 8 to 200 characters without blanks.'
    if (receivers.some((one) => one.target === target)) return 'Enter each address once.'
    receivers.push({ kind, target, ...secretFor(given, targets.includes(target)) })
  }
  return receivers
}

function secretFor(
  given: string | undefined,
  isKnown: boolean,
): Pick<ReceiverInput, 'secret' | 'isSecretMade'> {
  if (given !== undefined) return { secret: given }
  return isKnown ? {} : { secret: randomBytes(32).toString('hex'), isSecretMade: true }
}

function toWebhookUrl(text: string): string | undefined {
  if (text.length > maxUrlLength || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && /^https?:$/.test(url.protocol)
  return isPlain ? url.href : undefined
}
