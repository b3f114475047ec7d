import type { Receiver } from '../../model/model.ts'
import type { ReceiverInput, ReceiverLookup } from '../channel.ts'

/** Kinds of mail receivers: a user, whose address may change, or a fixed address. */
export const mailKinds = { user: 'user', address: 'address' } as const

const shape =
  /^(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})+|localhost)$/u

/** Returns the mail address of a receiver; undefined for a user without an address. */
export function mailAddress({ kind, target, userAddress }: Receiver): string | undefined {
  return kind === mailKinds.user ? userAddress : target
}

/** Returns the display name of a receiver, such as `ann <ann@example.org>` for a user. */
export function mailCaption({ kind, target, userAddress }: Receiver): string {
  return kind === mailKinds.user ? `${target} <${userAddress ?? 'no address'}>` : target
}

/** Returns a fixed address as a receiver, without validation. */
export function addressReceiver(target: string): ReceiverInput {
  return { kind: mailKinds.address, target }
}

/** Converts addresses to receivers: an address that belongs to a user becomes that user. */
export async function parseAddresses(
  lines: readonly string[],
  { findUsers }: ReceiverLookup,
): Promise<ReceiverInput[] | string> {
  if (!lines.every((one) => shape.test(one))) return 'Enter valid email addresses.'
  const users = await findUsers(lines)
  const found = new Map<string, ReceiverInput>()
  for (const line of lines) {
    const userName = users.get(line)
    const key = userName === undefined ? `address ${line.toLowerCase()}` : `user ${userName}`
    if (found.has(key)) continue
    const user = userName === undefined ? undefined : { kind: mailKinds.user, target: userName, userName }
    found.set(key, user ?? addressReceiver(line))
  }
  return [...found.values()]
}
