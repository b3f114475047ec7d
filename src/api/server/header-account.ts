import type { HeaderAccount } from '../../access/index.ts'
import type { HeaderSettings } from '../../core/config/access-settings.ts'
import { holdsAddress, networkSet } from '../../core/network/addresses.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { FastifyRequest } from '../app-types.ts'

/** Networks that `TERRANE_TRUSTED_PROXIES` may name by a word, as Fastify understands them. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
const maxGroups = 1000

/**
 * Returns a function that reads the account that a proxy names in a header. Headers from other addresses than
 * those of the trusted proxies do not count.
 */
export function accountReader(
  settings: HeaderSettings | undefined,
  trustedProxies: readonly string[],
): (request: FastifyRequest) => HeaderAccount | undefined {
  if (settings === undefined) return () => undefined
  const trusted = networkSet(trustedProxies.flatMap((one) => ownValue(namedNetworks, one) ?? [one]))
  const { header, groupsHeader, emailHeader } = settings
  return ({ headers, raw }) => {
    const name = textOf(headers[header])
    const { remoteAddress } = raw.socket
    if (name === undefined || remoteAddress === undefined || !holdsAddress(trusted, remoteAddress))
      return undefined
    const groups = groupsHeader === undefined ? undefined : (textOf(headers[groupsHeader]) ?? '')
    return {
      name,
      email: emailHeader === undefined ? undefined : textOf(headers[emailHeader]),
      groups: groups
        ?.split(/[,;]/)
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .slice(0, maxGroups),
    }
  }
}

/** A header that was sent several times names nobody. */
function textOf(value: string | string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}
