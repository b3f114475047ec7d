import type { Vault } from '../../../core/secrets/vault.ts'
import type { Fields } from '../../../core/text/fields.ts'
import type { Channel, ReceiverInput, ReceiverLookup } from '../channels/channel.ts'
import { channels } from '../channels/channels.ts'
import type { Receiver } from '../model/model.ts'
import type { NewReceiver } from '../records/receiver-repository.ts'

const maxListLength = 64 * 1024

/** Receivers in a channel's field. */
export interface ReceiversInput {
  channel: Channel
  receivers: readonly ReceiverInput[]
}

/** Reads the receivers of each channel whose field was sent; reports faults by field. */
export async function readReceivers(
  fields: Fields,
  known: readonly Receiver[],
  findUsers: ReceiverLookup['findUsers'],
): Promise<ReceiversInput[]> {
  const read: ReceiversInput[] = []
  for (const channel of channels) {
    const targets = known.filter(({ kind }) => channel.kinds.includes(kind)).map(({ target }) => target)
    const receivers = await readField(fields, channel, { targets, findUsers })
    if (receivers !== undefined) read.push({ channel, receivers })
  }
  return read
}

async function readField(
  fields: Fields,
  { field: { name, separator, maxLines }, parse }: Channel,
  known: ReceiverLookup,
): Promise<ReceiverInput[] | undefined> {
  const lines = readLines(fields, name, separator)
  if (lines === undefined) return undefined
  if (lines.length > maxLines) return fields.fail(name, `Enter at most ${maxLines} addresses.`)
  const receivers = await parse(lines, known)
  return typeof receivers === 'string' ? fields.fail(name, receivers) : receivers
}

/** Reads a list field: a JSON array, or a text with separators; undefined if absent. */
function readLines(fields: Fields, name: string, separator: RegExp): string[] | undefined {
  if (!fields.has(name)) return undefined
  const raw = fields.raw(name)
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

/** Returns the stored form of a receiver, with its secret encrypted. */
export function sealed({ kind, target, userName, secret }: ReceiverInput, vault: Vault): NewReceiver {
  return { kind, target, userName, secret: secret === undefined ? '' : vault.seal(secret) }
}

/** Returns the generated secrets by address, under the response key of their channel. */
export function madeSecrets(given: readonly ReceiversInput[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    given.flatMap(({ channel: { field }, receivers }) => {
      if (field.secretsName === undefined) return []
      const made = receivers.flatMap(({ target, secret, isSecretMade = false }) =>
        isSecretMade && secret !== undefined ? [[target, secret]] : [],
      )
      return [[field.secretsName, Object.fromEntries(made) as Record<string, string>]]
    }),
  )
}
