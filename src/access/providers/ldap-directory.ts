import type { Entry, SearchOptions } from 'ldapts'
import {
  Client,
  DN,
  EqualityFilter,
  FilterParser,
  InvalidCredentialsError,
  NoSuchObjectError,
  PresenceFilter,
  SizeLimitExceededError,
} from 'ldapts'
import type { LdapSettings } from '../../core/config/access-settings.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { ProviderAccount } from './account.ts'

/** Time limits of the connection and of one operation. */
const connectMs = 5_000
const operationMs = 10_000
/** After a failed connection the directory is not asked again for this long. */
const pauseMs = 5_000
const maxGroupDepth = 10
const maxGroups = 1000

/** Attributes that identify an entry for ever, in this order. */
const idAttributes = ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID'] as const

/** An LDAP directory. Every call opens a connection and closes it. */
export class LdapDirectory {
  readonly provider = 'ldap'
  readonly #settings: LdapSettings
  #pausedUntil = 0

  constructor(settings: LdapSettings) {
    this.#settings = settings
  }

  /**
   * Returns the account if the password is right. Throws `Failure` (`directory-unavailable`) if the directory
   * does not respond or its certificate is not trusted.
   */
  async authenticate(name: string, password: string): Promise<ProviderAccount | undefined> {
    // RFC 4513, section 5.1.2: a bind without a password succeeds for every name.
    if (name === '' || password === '' || name.includes('\0')) return undefined
    return this.#connected(async (client) => {
      const { userDn } = this.#settings
      const entry = userDn === undefined ? await this.#search(client, name) : undefined
      const dn = userDn === undefined ? entry?.dn : fillDn(userDn, name)
      if (dn === undefined || !(await binds(client, dn, password))) return undefined
      const found = entry ?? (await this.#read(client, dn)) ?? { dn }
      return this.#describe(client, found, name)
    })
  }

  /**
   * Returns the account of a subject as it is now; undefined if it no longer exists. Throws `Failure`
   * (`directory-unavailable`) if the directory cannot tell.
   */
  async find(subject: string, name: string): Promise<ProviderAccount | undefined> {
    return this.#connected(async (client) => {
      await this.#bindService(client)
      const entry = this.#settings.userDn === undefined ? await this.#search(client, name) : undefined
      const found =
        this.#settings.userDn === undefined
          ? entry
          : await this.#read(client, fillDn(this.#settings.userDn, name))
      if (found === undefined) return undefined
      const account = await this.#describe(client, found, name)
      return account.subject === subject ? account : undefined
    })
  }

  async #connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (Date.now() < this.#pausedUntil) throw unavailable('it did not respond a moment ago')
    const { url, startsTls, ca } = this.#settings
    const tlsOptions = ca === undefined ? {} : { ca }
    const client = new Client({
      url,
      timeout: operationMs,
      connectTimeout: connectMs,
      tlsOptions: url.startsWith('ldaps:') ? tlsOptions : undefined,
    })
    try {
      if (startsTls) await client.startTLS({ ...tlsOptions, servername: new URL(url).hostname })
      return await work(client)
    } catch (error) {
      if (error instanceof Failure) throw error
      this.#pausedUntil = Date.now() + pauseMs
      throw unavailable(error instanceof Error ? error.message : String(error), error)
    } finally {
      await client.unbind().catch(() => undefined)
    }
  }

  /** Finds the only entry of a user name. */
  async #search(client: Client, name: string): Promise<Entry | undefined> {
    await this.#bindService(client)
    const { base, filter } = this.#settings
    const options: SearchOptions = {
      scope: 'sub',
      filter: fillFilter(filter, { name }),
      sizeLimit: 2,
      ...this.#attributes(),
    }
    try {
      const { searchEntries } = await client.search(base, options)
      return searchEntries.length === 1 ? searchEntries[0] : undefined
    } catch (error) {
      if (error instanceof SizeLimitExceededError) return undefined
      throw error
    }
  }

  async #bindService(client: Client): Promise<void> {
    const { bindDn, bindPassword } = this.#settings
    if (bindDn === undefined) return
    if (await binds(client, bindDn, bindPassword?.reveal() ?? '')) return
    throw unavailable('it refuses TERRANE_LDAP_BIND_DN with TERRANE_LDAP_BIND_PASSWORD')
  }

  /** Reads an entry by its name; undefined if it does not exist or may not be read. */
  async #read(client: Client, dn: string): Promise<Entry | undefined> {
    try {
      const { searchEntries } = await client.search(dn, {
        scope: 'base',
        filter: new PresenceFilter({ attribute: 'objectClass' }),
        ...this.#attributes(),
      })
      return searchEntries[0]
    } catch (error) {
      if (error instanceof NoSuchObjectError) return undefined
      throw error
    }
  }

  #attributes(): Pick<SearchOptions, 'attributes' | 'explicitBufferAttributes'> {
    return { attributes: [this.#settings.email, ...idAttributes], explicitBufferAttributes: ['objectGUID'] }
  }

  async #describe(client: Client, entry: Entry, name: string): Promise<ProviderAccount> {
    const email = textOf(entry[this.#settings.email])
    return {
      source: 'ldap',
      provider: this.provider,
      subject: idOf(entry),
      name: name.trim().toLowerCase(),
      email,
      // The directory belongs to the organisation: its addresses are those that the organisation gives.
      isEmailVerified: email !== undefined,
      groups: await this.#groupsOf(client, entry.dn, name),
    }
  }

  /** Reads the groups of a user, and the groups that contain those, breadth first. */
  async #groupsOf(client: Client, dn: string, name: string): Promise<string[] | undefined> {
    const { groupBase, groupFilter, groupName, bindDn } = this.#settings
    if (groupBase === undefined) return undefined
    if (bindDn !== undefined) await this.#bindService(client)
    const names = new Map<string, string>()
    let level = [{ dn, name }]
    for (let depth = 0; level.length > 0 && depth < maxGroupDepth; depth += 1) {
      const next: typeof level = []
      for (const member of level) {
        const filter = fillFilter(groupFilter, member)
        const { searchEntries } = await client.search(groupBase, {
          scope: 'sub',
          filter,
          attributes: [groupName],
        })
        for (const group of searchEntries) {
          const title = textOf(group[groupName])
          if (title === undefined || names.has(group.dn) || names.size >= maxGroups) continue
          names.set(group.dn, title)
          // A group is no member by a user name.
          next.push({ dn: group.dn, name: '' })
        }
      }
      level = next
    }
    return [...new Set(names.values())]
  }
}

async function binds(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (error instanceof InvalidCredentialsError || error instanceof NoSuchObjectError) return false
    throw error
  }
}

/** Puts a name into a distinguished name, escaped by RFC 4514. */
function fillDn(pattern: string, name: string): string {
  const escaped = new DN({ x: name }).toString().slice(2)
  return pattern.replaceAll('{name}', () => escaped)
}

/** Puts values into a filter, escaped by RFC 4515. */
function fillFilter(
  pattern: string,
  values: { name: string; dn?: string },
): ReturnType<typeof FilterParser.parseString> {
  const text = pattern.replace(/\{(name|dn)\}/g, (_, key: 'name' | 'dn') =>
    EqualityFilter.escape(values[key] ?? ''),
  )
  return FilterParser.parseString(text)
}

function idOf(entry: Entry): string {
  for (const attribute of idAttributes) {
    const value = entry[attribute]
    if (Buffer.isBuffer(value) && value.length > 0) return value.toString('hex')
    const text = textOf(value)
    if (text !== undefined) return text
  }
  return entry.dn.toLowerCase()
}

function textOf(value: Entry[string] | undefined): string | undefined {
  const first = Array.isArray(value) ? value[0] : value
  const text = Buffer.isBuffer(first) ? first.toString('utf8') : first
  return text === undefined || text === '' ? undefined : text
}

function unavailable(reason: string, cause?: unknown): Failure {
  const text = `The directory of TERRANE_LDAP_URL cannot be asked: ${reason}. Users with a local password can sign in`
  return new Failure('unavailable', 'directory-unavailable', text, { cause, retryAfterSeconds: 10 })
}
