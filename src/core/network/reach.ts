import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { LookupFunction, SocketConnectOpts } from 'node:net'
import { isIP, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { invalid } from '../errors/errors.ts'
import { embeddedIpv4, holdsAddress, isClosedAddress, networkSet } from './addresses.ts'

/** Network destinations allowed for connections that untrusted users request. Plain data. */
export interface NetworkReach {
  /** Private networks that may be reached. */
  allow: readonly string[]
  /** Port of this server, which must not be reached on this host. */
  ownPort?: number
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address))
}

/** True if the address belongs to this machine, including its loopback addresses. */
export function isOfThisHost(address: string): boolean {
  const plain = embeddedIpv4(address) ?? address
  const isLoop = plain.startsWith('127.') || plain.startsWith('0.') || /^[0:]+[01]?$/.test(plain)
  return isLoop || [plain, address].some((one) => ownAddresses().includes(one))
}

/** True if connections to the address are allowed. */
function isInReach({ allow, ownPort }: NetworkReach, address: string, port: number): boolean {
  if (port === ownPort && isOfThisHost(address)) return false
  return holdsAddress(networkSet(allow), address) || !(isClosedAddress(address) || isOfThisHost(address))
}

/** The message is the same whether or not a server listens there. */
function refusal(host: string): Error {
  return invalid(
    'address-refused',
    `"${host}" is an address of this host or of a private network, which TERRANE_REMOTE_ALLOW does not name: an administrator may connect to it`,
  )
}

/**
 * A socket that connects only to permitted addresses: it resolves a name, checks the address and connects to
 * that address.
 */
export class ReachSocket extends Socket {
  readonly #reach: NetworkReach

  constructor(reach: NetworkReach) {
    super()
    this.#reach = reach
  }

  override connect(...given: unknown[]): this {
    const [first, second] = given
    if (typeof first !== 'number') return this.#connectTo(first)
    return this.#connectTo({ port: first, host: typeof second === 'string' ? second : 'localhost' })
  }

  #connectTo(options: unknown): this {
    const { host, port } = isPlace(options) ? options : { host: dirname(String(options)), port: 0 }
    const isRefused = port === 0 || (isIP(host) !== 0 && !isInReach(this.#reach, host, port))
    if (isRefused) {
      process.nextTick(() => this.destroy(refusal(host)))
      return this
    }
    const options_: SocketConnectOpts = { host, port, lookup: this.#lookup(port) }
    return super.connect(options_)
  }

  #lookup(port: number): LookupFunction {
    return (host, options, callback) => {
      lookup(host, { ...options, all: true } as LookupOptions & { all: true }, (error, found) => {
        if (error !== null) return callback(error, [])
        const isRefused = found.some(({ address }) => !isInReach(this.#reach, address, port))
        if (isRefused || found.length === 0) return callback(refusal(host), [])
        respond(found, options.all === true, callback)
      })
    }
  }
}

function respond(found: LookupAddress[], isAll: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = found
  if (isAll || first === undefined) callback(null, found)
  else callback(null, first.address, first.family)
}

function isPlace(options: unknown): options is { host: string; port: number } {
  return typeof options === 'object' && options !== null && 'host' in options && 'port' in options
}
