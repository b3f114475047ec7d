import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerEdit } from '../../catalog/doors/transaction.ts'
import type { LayerRecord, StoreRecord } from '../../catalog/records.ts'
import type { ContentEnd } from '../../catalog/versions/contents.ts'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import { defined } from '../../lib/defined.ts'
import { conflict, Failure } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { EditRequest, KeptState, NotKept } from '../../stores/store.ts'
import type { ImportLocks } from '../live/live.ts'
import type { EditOutcome, EditWish, LoadPool } from '../worker/worker.ts'
import type { EditRecord, OpenEdit } from './edit-rows.ts'
import { completeEdit, insertEdit, listEdits } from './edit-rows.ts'
import { forgetEdit, isCommitted, publishEdit, settleEdits } from './settle-edits.ts'

interface EditNeeds {
  database: Database
  catalog: Catalog
  locks: ImportLocks
  /** That of loads: whoever has written to a file last writes to it next, and knows what it has left there. */
  pool: LoadPool
  clock: Clock
  log: Logger
}

/** What is asked for. */
export interface WishedEdit extends EditWish {
  /** Absent where a feature is to be added. */
  featureId?: string
  user?: string
}

/** What became of it. */
export interface MadeEdit extends Pick<EditOutcome, 'featureId' | 'tag' | 'json' | 'isChanged'> {
  /** Of the layer, where it is known. */
  version?: number
}

/** How long an edit waits for loads and for other writers. */
const patienceMs = 30_000
/** After so long an edit has ended, well or not. */
const longestMs = 120_000
/** Where the layer got another version meanwhile an edit is planned anew: at once at first, then after a while. */
const promptPlans = 3
const planRestMs = 200

/** The layer got another version since the plan, or another server changes it. */
class Outdated extends Error {}

/** Changes features of layers, each in a transaction of its own, by the same protocol and in the same turns as loads. */
export class Edits {
  readonly #needs: EditNeeds
  readonly #process = randomUUID()
  #later: NodeJS.Timeout | undefined

  constructor(needs: EditNeeds) {
    this.#needs = needs
  }

  /** Why the features of a layer cannot be changed, in words for people; undefined where they can. */
  async whyNot(layer: LayerRecord): Promise<string | undefined> {
    const { catalog } = this.#needs
    const store = await catalog.layers.storeOf(layer)
    const description = findStoreDescription(store.type)
    if (description === undefined) return 'It is a layer of rasters'
    if (!store.isEnabled) return `Its store "${store.name}" is switched off`
    if (!description.can.takesLoads)
      return `It is served from a file of format ${store.type}, which is not written to: import it into a GeoPackage or PostGIS store`
    const opened = await catalog.layers.openStoreOf(layer)
    if (opened.edits === undefined)
      return `Its store "${store.name}" is served as it is: nothing is written to it`
    return opened.edits.whyNot(layer.nativeName)
  }

  /** For a layer that `whyNot` says nothing of. Throws `Failure` where its table or a value is against it: nothing is changed then. */
  async edit(layer: LayerRecord, wish: WishedEdit, signal: AbortSignal): Promise<MadeEdit> {
    const limit = AbortSignal.timeout(patienceMs)
    const either = AbortSignal.any([signal, limit])
    try {
      return await this.#inTurn(layer, either, () => this.#settled(layer, wish, either))
    } catch (error) {
      if (limit.aborted && !signal.aborted && isEndedBy(error)) throw busy(layer, error)
      throw error
    }
  }

  /** Before any edit or load begins: ends what an earlier process has begun; where others work too, what is old by then. */
  async start(): Promise<void> {
    const isAlone = this.#needs.database.writes() !== undefined
    await settleEdits(this.#needs, (record) => isAlone || this.#isOld(record))
    const settleOld = (): void =>
      void settleEdits(this.#needs, (record) => this.#isOld(record)).catch(() => undefined)
    this.#later = setTimeout(settleOld, longestMs + patienceMs).unref()
  }

  close(): void {
    clearTimeout(this.#later)
  }

  /** Whether an edit must have ended by now, whoever makes it. */
  #isOld({ createdAt }: { createdAt: string }): boolean {
    return this.#needs.clock.now().getTime() - Date.parse(createdAt) > longestMs
  }

  /** One at a time works on a table, loads too; some stores take one at a time in all. */
  async #inTurn<T>(
    { storeId, nativeName }: LayerRecord,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const { catalog, locks } = this.#needs
    const { type } = await catalog.stores.get(storeId)
    const one = findStoreDescription(type)?.can.oneLoadAtATime === true
    return locks.hold(
      `table ${storeId}/${nativeName}`,
      () => (one ? locks.hold(`store ${storeId}`, work, signal) : work()),
      signal,
    )
  }

  /** After what an earlier edit of this process has left, where the catalogue was out of reach. */
  async #settled(layer: LayerRecord, wish: WishedEdit, signal: AbortSignal): Promise<MadeEdit> {
    const { storeId, nativeName: table } = layer
    const isOver = (record: OpenEdit): boolean => record.process === this.#process || this.#isOld(record)
    await settleEdits(this.#needs, isOver, { storeId, table })
    for (let plan = 1; ; plan += 1) {
      try {
        return await this.#attempt(layer, wish, signal)
      } catch (error) {
        if (!(error instanceof Outdated)) throw error
        if (plan >= promptPlans) await sleep(planRestMs, undefined, { signal })
      }
    }
  }

  async #attempt(
    { id, nativeName }: LayerRecord,
    { featureId, user, ...wish }: WishedEdit,
    signal: AbortSignal,
  ): Promise<MadeEdit> {
    const { catalog, database, pool } = this.#needs
    const layer = await this.#present(id)
    const store = await catalog.stores.get(layer.storeId)
    const { since, isJoined, keep } = await catalog.versions.planEdit(layer, store, user, randomUUID())
    const request: EditRequest = {
      ...{ editId: randomUUID(), table: nativeName },
      ...defined({ featureId, envelope: layer.details.envelope }),
      ...('id' in keep ? { keep: { id: keep.id, isBegun: isJoined } } : {}),
    }
    const { editId, table } = request
    const place = { editId, storeId: store.id, table, process: this.#process }
    let record: EditRecord | undefined
    // What is thrown within a thread comes out of it as an error of no class.
    let outdated: Outdated | undefined
    const begin = async (begun: EditRecord, mark?: string): Promise<void> => {
      outdated = await this.#begin(layer, begun, mark)
      if (outdated !== undefined) throw outdated
      record = begun
    }
    const beforeTouch = async (token: string, mark: string): Promise<void> => {
      await begin({ ...place, token }, mark)
      passStep('edit.touched')
    }
    const beforeCommit = async (token: string, outcome: EditOutcome): Promise<void> => {
      const edit = layerEdit(outcome, { layerId: id, isJoined, since, store, keep, user })
      const whole = { ...place, token, edit }
      await (record === undefined ? begin(whole) : completeEdit(database.kysely, whole))
      record = whole
      passStep('edit.noted')
    }
    const connection = await catalog.stores.connection(store)
    const outcome = await pool
      .edit({ connection, request, wish }, { signal, beforeTouch, beforeCommit })
      .catch(async (error: unknown) => {
        if (outdated !== undefined) throw outdated
        if (record !== undefined && (await this.#isDone(record))) throw unsettled(error)
        throw error
      })
    passStep('edit.committed')
    const version = record === undefined ? layer.version : await publishEdit(this.#needs, record)
    passStep('edit.published')
    return { ...outcome, ...defined({ version }) }
  }

  /** The layer as it is now, with what others have changed told before. */
  async #present(id: number): Promise<LayerRecord> {
    const { layers } = this.#needs.catalog
    const found = await layers.findById(id)
    if (found === undefined) throw conflict('layer-gone', 'The layer was deleted meanwhile')
    const { version } = await layers.refreshVersion(found)
    return version === found.version ? found : { ...found, version }
  }

  /**
   * From now on nothing that is read of the layer is told as current, and a crash is found out about. The store lets nobody
   * else write meanwhile: so edits of the table that were begun before, on other servers, have ended. Gives why it cannot be
   * begun.
   */
  async #begin(layer: LayerRecord, record: EditRecord, mark?: string): Promise<Outdated | undefined> {
    const { catalog, clock, database } = this.#needs
    const { storeId, table, editId } = record
    if ((await listEdits(database.kysely, { storeId, table })).length > 0) {
      await settleEdits(this.#needs, () => true, { storeId, table })
      return new Outdated('Another server has changed the layer')
    }
    return catalog.transaction(async (change, db) => {
      if (!(await change.beginEdit(layer, { storeId, table, ...defined({ mark }) }, editId)))
        return new Outdated('The layer has another version by now, or another server changes it')
      await insertEdit(db, record, clock.now().toISOString())
      return undefined
    })
  }

  /** Whether an edit that failed has committed, or nobody can tell: then it is not forgotten. */
  async #isDone(record: EditRecord): Promise<boolean> {
    try {
      if (await isCommitted(this.#needs, record)) return true
      await forgetEdit(this.#needs, record)
      return false
    } catch {
      return true
    }
  }
}

interface Planned {
  layerId: number
  isJoined: boolean
  since: string
  store: StoreRecord
  keep: { id: string } | NotKept
  user: string | undefined
}

function layerEdit(
  { kept, counts, rowsAdded, envelope }: EditOutcome,
  { store, keep, user, ...planned }: Planned,
): LayerEdit {
  return { ...planned, end: endOf(store, kept ?? keep), counts, rowsAdded, ...defined({ user, envelope }) }
}

function endOf(
  { parameters: { path } }: StoreRecord,
  kept: KeptState | NotKept | { id: string },
): ContentEnd {
  if ('form' in kept) return { form: 'kept', state: kept, ...defined({ path }) }
  return { form: 'lost', reason: 'reason' in kept ? kept.reason : 'What was kept of it was removed' }
}

function isEndedBy(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}

function busy({ workspace, name }: LayerRecord, cause: unknown): Failure {
  const text = `Somebody else writes to "${workspace}:${name}" or its store, a load maybe: try again`
  return new Failure('unavailable', 'layer-busy', text, { retryAfterSeconds: 10, cause })
}

function unsettled(cause: unknown): Failure {
  const text = 'Whether the feature was changed is not known yet: read it again in a while'
  return new Failure('unavailable', 'edit-unsettled', text, { retryAfterSeconds: 10, cause })
}
