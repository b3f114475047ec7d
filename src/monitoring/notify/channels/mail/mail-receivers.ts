import type { Receiver } from '../../model/model.ts'
import type { ReceiverInput, ReceiverLookup } from '../channel.ts'

/** A user, whose address may change, and a fixed address. */
export const mailKinds = { user: 'user', address: 'address' } as const

const shape =
  /^(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})+|localhost)$/u

/** Returns the mail address of a receiver; undefined for a user without an address. */
export function mailAddress({ kind, target, userAddress }: Receiver): string | undefined {
  return kind === mailKinds.user ? userAddress : target
}

/** `ann <ann@example.org>` for a user. */
export function mailCaption({ kind, target, userAddress }: Receiver): string {
  return kind === mailKinds.user ? `${target} <${userAddress ?? 'no address'}>` : target
}

/** A plain address as a receiver, whatever it looks like. */
export function addressReceiver(target: string): ReceiverInput {
  return { kind: mailKinds.address, target }
}

/** Addresses as receivers: those that belong to a user as that user. */
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
