import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../db/connection.ts'
import type { Vault } from '../../lib/vault.ts'
import type { NewReceiver } from '../../monitoring/notify/records/receiver-repository.ts'
import { findUsersByAddress } from '../../monitoring/notify/records/receiver-repository.ts'
import type { Fields } from './parameters.ts'

const maxAddresses = 100
const maxWebhooks = 20
const maxListLength = 64 * 1024
const address =
  /^(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})+|localhost)$/u
const secretShape = /^[\x21-\x7e]{8,200}$/

/** The elements of a list field: a JSON list, or a text with one a line (or with commas); undefined where absent. */
function readLines(fields: Fields, body: unknown, name: string, separator: RegExp): string[] | undefined {
  if (!fields.has(name)) return undefined
  const raw = (body as Record<string, unknown>)[name]
  const isList = Array.isArray(raw)
  if (isList && !raw.every((one) => typeof one === 'string'))
    return fields.fail(name, 'Enter a list of texts.')
  const text = isList ? raw.join('\n') : fields.text(name, { maxLength: maxListLength, keepsEmpty: true })
  if (text === undefined) return undefined
  if (text.length > maxListLength)
    return fields.fail(name, `Ensure this list has at most ${maxListLength} characters.`)
  const lines = text.split(separator)
  return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))]
}

/** Receivers of `emails`: users whose address it is, and other addresses; undefined where the field is absent. */
export async function readEmails(
  fields: Fields,
  body: unknown,
  db: Queryable,
): Promise<NewReceiver[] | undefined> {
  const lines = readLines(fields, body, 'emails', /[\n,;]/)
  if (lines === undefined) return undefined
  if (lines.length > maxAddresses) return fields.fail('emails', `Enter at most ${maxAddresses} addresses.`)
  if (!lines.every((one) => address.test(one))) return fields.fail('emails', 'Enter valid email addresses.')
  const users = await findUsersByAddress(db, lines)
  const found = new Map<string, NewReceiver>()
  for (const line of lines) {
    const user = users.get(line)
    const key = user === undefined ? `address ${line.toLowerCase()}` : `user ${user}`
    if (!found.has(key))
      found.set(key, { kind: user === undefined ? 'address' : 'user', target: user ?? line, secret: '' })
  }
  return [...found.values()]
}

export interface ReadWebhooks {
  receivers: NewReceiver[]
  /** In clear: those that were made here, by URL. */
  secrets: Record<string, string>
}

/**
 * Receivers of `webhooks`: a URL a line, behind it a blank and the secret that signs. A new URL without one is given
 * a secret; one in `known` keeps its own.
 */
export function readWebhooks(
  fields: Fields,
  body: unknown,
  { known, vault }: { known: readonly string[]; vault: Vault },
): ReadWebhooks | undefined {
  const lines = readLines(fields, body, 'webhooks', /\n/)
  if (lines === undefined) return undefined
  if (lines.length > maxWebhooks) return fields.fail('webhooks', `Enter at most ${maxWebhooks} addresses.`)
  const read: ReadWebhooks = { receivers: [], secrets: {} }
  for (const line of lines) {
    const [text = '', given, ...rest] = line.split(/\s+/)
    const url = toWebhookUrl(text)
    if (url === undefined || rest.length > 0)
      return fields.fail(
        'webhooks',
        'Enter addresses that begin with http:// or https://, without a password.',
      )
    if (given !== undefined && !secretShape.test(given))
      return fields.fail('webhooks', 'A secret has 8 to 200 characters without blanks.')
    if (read.receivers.some(({ target }) => target === url))
      return fields.fail('webhooks', 'Enter each address once.')
    const isNew = !known.includes(url)
    const secret = given ?? (isNew ? randomBytes(32).toString('hex') : undefined)
    if (secret !== undefined && given === undefined) read.secrets[url] = secret
    read.receivers.push({
      kind: 'webhook',
      target: url,
      secret: secret === undefined ? '' : vault.seal(secret),
    })
  }
  return read
}

const maxUrlLength = 2000

function toWebhookUrl(text: string): string | undefined {
  if (text.length > maxUrlLength || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && /^https?:$/.test(url.protocol)
  return isPlain ? url.href : undefined
}
