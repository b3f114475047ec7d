import type { Database, Queryable } from '../../core/db/connection.ts'
import { isUniqueViolation } from '../../core/db/errors.ts'
import { conflict, FieldFailure, notFound } from '../../core/errors/errors.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import { defined } from '../../core/values/defined.ts'
import type { HostRecord, ServiceRecord, ServiceValues } from '../model/records.ts'
import { sourceKindsOf } from '../model/records.ts'
import { deleteHost, findHost, findHostNamed, insertHost, listHosts, updateHost } from './host-repository.ts'
import {
  deleteService,
  findService,
  findServiceIdNamed,
  insertService,
  listServiceNamesOf,
  listServices,
  updateLastCheck,
  updateService,
} from './service-repository.ts'

/** Changes of services: some were changed, or one was removed. */
export type ServicesChange = { removedId?: number }
/** Called after a change; may be asynchronous. */
export type ServicesListener = (change: ServicesChange) => void | Promise<void>

/** Fields of a host or service that a caller may change; `undefined` is not allowed. */
export type HostValues = Omit<HostRecord, 'id'>
/**
 * Values, or a function that derives them from the current state in the same transaction; it throws to reject
 * the change.
 */
type Change<R, V> = Partial<V> | ((before: R) => Partial<V>)

/**
 * The configured hosts and services. Notifies listeners of this process of every change; changes by other
 * processes on one database become visible on the next read.
 */
export class Services {
  readonly #database: Database
  readonly #vault: Vault
  readonly #listeners = new Set<ServicesListener>()

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /** Registers a listener and returns a function that removes it. A change waits for its listeners. */
  onChange(listener: ServicesListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  list(): Promise<ServiceRecord[]> {
    return listServices(this.#database.kysely, this.#vault)
  }

  async find(name: string): Promise<ServiceRecord | undefined> {
    const id = await findServiceIdNamed(this.#database.kysely, name)
    return id === undefined ? undefined : findService(this.#database.kysely, this.#vault, id)
  }

  /** Throws `Failure` (`notFound`). */
  async get(id: number): Promise<ServiceRecord> {
    return this.#getService(this.#database.kysely, id)
  }

  /** Throws `FieldFailure` for a name that is taken, an unknown host, or a source that the type does not have. */
  async create(values: ServiceValues): Promise<ServiceRecord> {
    const id = await this.#write(async (db) => {
      await this.#check(db, values)
      return insertService(db, this.#vault, values)
    })
    await this.#tell({})
    return this.get(id)
  }

  /** Throws like `get` and `create`. */
  async update(id: number, change: Change<ServiceRecord, ServiceValues>): Promise<ServiceRecord> {
    await this.#write(async (db) => {
      const before = await this.#getService(db, id)
      const values = { ...before, ...defined(typeof change === 'function' ? change(before) : change) }
      await this.#check(db, values, id)
      await updateService(db, this.#vault, id, values)
    })
    await this.#tell({})
    return this.get(id)
  }

  /**
   * Removes a service. With `agree`, which may throw to prevent the removal, an unknown service throws like
   * `get`.
   */
  async remove(id: number, agree?: (before: ServiceRecord) => void): Promise<void> {
    await this.#database.transaction(async (db) => {
      agree?.(await this.#getService(db, id))
      await deleteService(db, id)
    })
    await this.#tell({ removedId: id })
  }

  /** Records a successful collection; listeners are not notified. */
  markChecked(id: number, at: Date): Promise<void> {
    return updateLastCheck(this.#database.kysely, id, at.toISOString())
  }

  listHosts(): Promise<HostRecord[]> {
    return listHosts(this.#database.kysely)
  }

  findHostNamed(name: string): Promise<HostRecord | undefined> {
    return findHostNamed(this.#database.kysely, name)
  }

  /** Throws `Failure` (`notFound`). */
  async getHost(id: number): Promise<HostRecord> {
    return getHost(this.#database.kysely, id)
  }

  /** Throws `FieldFailure` for a name that is taken. */
  async createHost(values: HostValues): Promise<HostRecord> {
    const id = await this.#write(async (db) => {
      await refuseTakenHost(db, values.name)
      return insertHost(db, values)
    })
    return { id, ...values }
  }

  /** Throws like `getHost` and `createHost`. */
  async updateHost(id: number, change: Change<HostRecord, HostValues>): Promise<HostRecord> {
    const host = await this.#write(async (db) => {
      const before = await getHost(db, id)
      const after = { ...before, ...defined(typeof change === 'function' ? change(before) : change) }
      await refuseTakenHost(db, after.name, id)
      await updateHost(db, after)
      return after
    })
    await this.#tell({})
    return host
  }

  /** Removes a host. Throws `Failure` (`conflict`) if services run on it; `agree` as for `remove`. */
  async removeHost(id: number, agree?: (before: HostRecord) => void): Promise<void> {
    await this.#database.transaction(async (db) => {
      agree?.(await getHost(db, id))
      const names = await listServiceNamesOf(db, id)
      if (names.length > 0)
        throw conflict(
          'host-in-use',
          `Host ${id} has services: remove ${names.slice(0, 20).join(', ')} first`,
        )
      await deleteHost(db, id)
    })
  }

  async #getService(db: Queryable, id: number): Promise<ServiceRecord> {
    const service = await findService(db, this.#vault, id)
    if (service === undefined) throw notFound('unknown-service', `Service ${id} does not exist`)
    return service
  }

  async #check(db: Queryable, values: ServiceValues, id?: number): Promise<void> {
    const { name, hostId, type, source } = values
    const taken = await findServiceIdNamed(db, name)
    if (taken !== undefined && taken !== id) throw takenName('Service')
    if ((await findHost(db, hostId)) === undefined)
      throw new FieldFailure({ host: [`Host ${hostId} does not exist`] })
    const kinds = sourceKindsOf[type]
    if (kinds.includes(source.kind)) return
    const message = `A service of this type has one of the sources ${kinds.join(', ')}, not ${source.kind}.`
    throw new FieldFailure({ 'source.kind': [message] })
  }

  /** If two requests create the same name at the same time, one fails because the name is taken. */
  async #write<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction(work)
    } catch (error) {
      throw isUniqueViolation(error) ? takenName('One') : error
    }
  }

  async #tell(change: ServicesChange): Promise<void> {
    for (const listener of this.#listeners) await listener(change)
  }
}

async function getHost(db: Queryable, id: number): Promise<HostRecord> {
  const host = await findHost(db, id)
  if (host === undefined) throw notFound('unknown-host', `Host ${id} does not exist`)
  return host
}

async function refuseTakenHost(db: Queryable, name: string, id?: number): Promise<void> {
  const taken = await findHostNamed(db, name)
  if (taken !== undefined && taken.id !== id) throw takenName('Host')
}

function takenName(what: string): FieldFailure {
  return new FieldFailure({ name: [`${what} with this name already exists.`] }, { code: 'exists-already' })
}
