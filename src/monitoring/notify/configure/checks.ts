import type { Database, Queryable } from '../../../core/db/connection.ts'
import { isUniqueViolation } from '../../../core/db/errors.ts'
import { FieldFailure, notFound } from '../../../core/errors/errors.ts'
import type { Vault } from '../../../core/secrets/vault.ts'
import { bodyRecord, Fields } from '../../../core/text/fields.ts'
import type { Clock } from '../../../core/time/clock.ts'
import type { ReceiverLookup } from '../channels/channel.ts'
import { olderReceiver } from '../channels/channels.ts'
import type { Check, Definition, Delivery, NewCheck, Threshold } from '../model/model.ts'
import {
  deleteCheck,
  findCheck,
  insertCheck,
  isNameTaken,
  listChecks,
  updateCheck,
  updateThreshold,
} from '../records/check-repository.ts'
import { dropDeliveries, listDeliveries } from '../records/delivery-repository.ts'
import { findUsersByAddress, listReceivers, replaceReceivers } from '../records/receiver-repository.ts'
import type { Configuration, DescribedConfiguration } from './configuration.ts'
import { describeCheckFields } from './described-field.ts'
import { nameTaken, readNewCheck } from './read-check.ts'
import type { ReceiversInput } from './read-receivers.ts'
import { madeSecrets, readReceivers, sealed } from './read-receivers.ts'
import { readFieldSettings } from './read-settings.ts'
import type { ResourceLookup, ThresholdContext } from './read-thresholds.ts'
import { readThreshold } from './read-thresholds.ts'
import { configurationFields, unknownFields } from './unknown-fields.ts'

/** Dependencies of creating and changing checks. */
export interface ChecksDeps {
  database: Database
  clock: Clock
  /** Encrypts the secrets that receivers share with this server. */
  vault: Vault
  services(): Promise<ThresholdContext['services']>
  resources: ResourceLookup
}

/** A check after a change. */
export interface ChangedCheck extends Configuration {
  /** Newly generated secrets by address, under the response key of their channel. */
  secrets: Record<string, Record<string, string>>
  /** Unknown field names. */
  ignored: string[]
}

/** Options of a change. */
export interface ChangeOptions {
  /** True if the body is a form, where an absent checkbox is unchecked. */
  isForm: boolean
  /** Throws if the check must not be changed in its present state. */
  accept(before: Configuration): void
}

/** Default settings of checks whose problems another module reports. */
const reportedSettings = { severity: 'error', isActive: true, graceSeconds: 3600, windowSeconds: 60 } as const

/**
 * Creates, shows, changes and removes checks, as users configure them. Request bodies are read by field
 * names.
 */
export class Checks {
  readonly #deps: ChecksDeps

  constructor(deps: ChecksDeps) {
    this.#deps = deps
  }

  list(): Promise<Check[]> {
    return listChecks(this.#deps.database.kysely)
  }

  /** Throws `Failure` (`notFound`). */
  async get(id: number): Promise<DescribedConfiguration> {
    const known = await this.#get(id)
    return { ...known, fields: describeCheckFields(known.check, await this.#deps.services()) }
  }

  /** Creates a check from a form or a JSON object. Throws a `FieldFailure` that lists all problems. */
  async create(body: unknown): Promise<ChangedCheck> {
    const { database } = this.#deps
    const fields = new Fields(bodyRecord(body))
    const check = await readNewCheck(fields, (name) => isNameTaken(database.kysely, name))
    const given = await readReceivers(fields, [], this.#findUsers)
    fields.finish()
    const id = await database
      .transaction(async (transaction) => {
        const created = await insertCheck(transaction, check)
        await this.#replace(transaction, created, given)
        return created
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new FieldFailure({ name: [nameTaken] }) : error
      })
    return { ...(await this.#get(id)), secrets: madeSecrets(given), ignored: [] }
  }

  /**
   * Changes the fields that a form or a JSON object contains. Throws a `FieldFailure` that lists all
   * problems; then nothing is changed.
   */
  async change(id: number, body: unknown, { isForm, accept }: ChangeOptions): Promise<ChangedCheck> {
    const { database, clock } = this.#deps
    const known = await this.#get(id)
    accept(known)
    const { check, receivers } = known
    const fields = configurationFields(body, check)
    const settings = readFieldSettings(fields, check, isForm)
    const given = await readReceivers(fields, receivers, this.#findUsers)
    const thresholds = await this.#readThresholds(fields, check.definitions)
    fields.finish()
    await database.transaction(async (transaction) => {
      await updateCheck(transaction, id, settings)
      for (const [definitionId, threshold] of thresholds)
        await updateThreshold(transaction, definitionId, threshold)
      await this.#replace(transaction, id, given)
      const at = clock.now().toISOString()
      if (!settings.isActive) await dropDeliveries(transaction, id, { why: 'the check was switched off', at })
    })
    const ignored = unknownFields(fields, check)
    return { ...(await this.#get(id)), secrets: madeSecrets(given), ignored }
  }

  /** Throws `Failure` (`notFound`), and what `accept` throws. */
  async remove(id: number, accept: ChangeOptions['accept']): Promise<void> {
    accept(await this.#get(id))
    await deleteCheck(this.#deps.database.kysely, id)
  }

  /** Returns the latest messages of a check, newest first. Throws `Failure` (`notFound`). */
  async deliveries(id: number, limit: number): Promise<Delivery[]> {
    await this.#get(id)
    return listDeliveries(this.#deps.database.kysely, id, limit)
  }

  /**
   * Creates or changes a check without definitions, whose problems another module reports. `receivers` has
   * the fields of the channels. Throws a `FieldFailure` that lists all problems.
   */
  async saveReported(
    id: number | undefined,
    check: Pick<NewCheck, 'name' | 'description'>,
    receivers: Record<string, readonly string[]>,
  ): Promise<number> {
    const { database } = this.#deps
    const fields = new Fields(bodyRecord(receivers))
    const known = id === undefined ? undefined : await findCheck(database.kysely, id)
    const before = known === undefined ? [] : await listReceivers(database.kysely, known.id)
    const given = await readReceivers(fields, before, this.#findUsers)
    fields.finish()
    return database.transaction(async (transaction) => {
      const reported = { ...check, ...reportedSettings, definitions: [] }
      const saved = known?.id ?? (await insertCheck(transaction, reported))
      await this.#replace(transaction, saved, given)
      return saved
    })
  }

  /** Imports a check of another system with its mail addresses; returns false if the name is already used. */
  async adopt(check: NewCheck, addresses: readonly string[]): Promise<boolean> {
    const { database, vault } = this.#deps
    return database.transaction(async (transaction) => {
      if (await isNameTaken(transaction, check.name)) return false
      const receivers = addresses.map((one) => sealed(olderReceiver(one), vault))
      const kinds = receivers.map(({ kind }) => kind)
      await replaceReceivers(transaction, await insertCheck(transaction, check), kinds, receivers)
      return true
    })
  }

  readonly #findUsers: ReceiverLookup['findUsers'] = (addresses) =>
    findUsersByAddress(this.#deps.database.kysely, addresses)

  async #get(id: number): Promise<Configuration> {
    const { kysely } = this.#deps.database
    const check = await findCheck(kysely, id)
    if (check === undefined) throw notFound('unknown-check', `Notification check ${id} does not exist`)
    return { check, receivers: await listReceivers(kysely, id) }
  }

  async #readThresholds(
    fields: Fields,
    definitions: readonly Definition[],
  ): Promise<Map<number, Threshold | undefined>> {
    const needs = { fields, resources: this.#deps.resources, services: await this.#deps.services() }
    const read = new Map<number, Threshold | undefined>()
    for (const one of definitions) read.set(one.id, await readThreshold(needs, one))
    return read
  }

  /** Replaces the receivers of the channels that a body contains. */
  async #replace(db: Queryable, checkId: number, given: readonly ReceiversInput[]): Promise<void> {
    for (const { channel, receivers } of given) {
      const newReceivers = receivers.map((one) => sealed(one, this.#deps.vault))
      await replaceReceivers(db, checkId, channel.kinds, newReceivers)
    }
  }
}
