import { invalid } from '../../core/errors/errors.ts'
import { matchesPatterns } from '../../core/text/name-pattern.ts'
import { findCrs, matchCrs } from '../../geo/crs-database.ts'
import type { TableDescription, TableSummary } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import { defaultStyleName } from '../../styles/worker.ts'
import type { InPlace, LayerDetails, LayerRecord, Managed, StoreRecord } from '../records.ts'
import { checkManaged } from '../rows/in-place.ts'
import { listTableNames } from '../rows/layer-rows.ts'
import { checkName } from '../rows/workspace-rows.ts'
import type { PublishedAll } from './insert-published.ts'
import { addTo, insertPublished } from './insert-published.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'

/** Time after which discovery retries a table that could not be published, in milliseconds. */
const retryMs = 600_000

/** A table of a store, and the layer that shows it. */
export interface ListedTable extends TableSummary {
  /** Name of the layer. */
  published?: string
}

/** A table to publish. */
export interface TableToPublish {
  /** Name of the table, or `table(column)` for a further geometry column. */
  nativeName: string
  /** Name of the layer; default: derived from the table name. */
  name?: string
  title?: string
  abstract?: string
  /** CRS of a geometry column that declares none, such as `EPSG:25832`. */
  srs?: string
  managed?: Managed
}

/** Selects the tables to publish, and names their layers. */
export interface TablesToPublish {
  isSelected?: (table: TableSummary) => boolean
  managed?: Managed
  nameOf?: (table: string) => string
}

/** Publishes tables of stores in place, without a copy. */
export class PublishedTables {
  readonly #deps: WriteDeps
  readonly #stores: Stores
  /** Tables that discovery could not publish, with the time of the next attempt. */
  readonly #failed = new Map<string, number>()

  constructor(deps: WriteDeps, stores: Stores) {
    this.#deps = deps
    this.#stores = stores
  }

  /** Lists the tables of a store with their layers. Reads no row. */
  async list(store: StoreRecord, known?: readonly TableSummary[]): Promise<ListedTable[]> {
    const tables = known ?? (await this.#summaries(store))
    const layers = await listTableNames(this.#deps.database.kysely, store.id)
    const exact = new Map(layers.map(({ table, name }) => [table, name]))
    // Layers may name a table in another case, if only one table has that name.
    const folded = new Map(layers.map(({ table, name }) => [table.toLowerCase(), name]))
    const counts = new Map<string, number>()
    for (const { name } of tables) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1)
    return tables.map((table) => {
      const key = table.name.toLowerCase()
      const published = exact.get(table.name) ?? (counts.get(key) === 1 ? folded.get(key) : undefined)
      return { ...table, published }
    })
  }

  /**
   * Publishes a table as a new layer. Throws `Failure` if there is no such table, if it cannot be read, or if
   * the name of the layer is taken.
   */
  async publish(store: StoreRecord, requested: TableToPublish): Promise<LayerRecord> {
    const tables = await this.#summaries(store)
    return this.#publishOne(store, findTable(store, tables, requested.nativeName), requested)
  }

  /** Publishes all selected tables of a store that no layer shows yet, independently of each other. */
  async publishAll(
    store: StoreRecord,
    { isSelected = () => true, managed, nameOf }: TablesToPublish = {},
    tables?: readonly TableSummary[],
  ): Promise<PublishedAll> {
    const all: PublishedAll = { published: [], failed: [] }
    for (const table of await this.list(store, tables)) {
      if (table.published !== undefined || !isSelected(table)) continue
      const one = { nativeName: table.name, managed }
      await addTo(all, table.name, () => this.#publishOne(store, table, one, nameOf?.(table.name)))
    }
    return all
  }

  /** Publishes tables independently of each other. */
  async publishSeveral(store: StoreRecord, requested: readonly TableToPublish[]): Promise<PublishedAll> {
    const all: PublishedAll = { published: [], failed: [] }
    const tables = await this.#summaries(store)
    for (const one of requested)
      await addTo(all, one.nativeName, () =>
        this.#publishOne(store, findTable(store, tables, one.nativeName), one),
      )
    return all
  }

  /**
   * Publishes the new tables of a store with discovery. Tables that cannot be published are retried later.
   */
  async discover(store: StoreRecord, tables: readonly TableSummary[]): Promise<PublishedAll> {
    const { discovery } = store
    if (discovery === undefined) return { published: [], failed: [] }
    const { naming, managed } = discovery
    const now = performance.now()
    const keyOf = (table: string): string => `${store.id} ${table}`
    const isSelected = ({ table, name }: TableSummary): boolean =>
      matchesPatterns(table, discovery) &&
      !discovery.exclude.includes(name) &&
      (this.#failed.get(keyOf(name)) ?? 0) <= now
    const nameOf = (table: string): string => naming.replaceAll('{table}', table)
    const all = await this.publishAll(store, { managed, isSelected, nameOf }, tables)
    for (const { table } of all.failed) this.#failed.set(keyOf(table), now + retryMs)
    return all
  }

  async #summaries(store: StoreRecord): Promise<TableSummary[]> {
    if (!store.isEnabled) throw invalid('store-disabled', `The store "${store.name}" is switched off`)
    if (findStoreDescription(store.type)?.can.takesLoads !== true)
      throw invalid(
        'no-tables',
        `Store "${store.name}" of type ${store.type} has no tables that can be published`,
      )
    const opened = await this.#stores.open(store)
    return (await opened.summarizeTables?.()) ?? []
  }

  async #publishOne(
    store: StoreRecord,
    table: TableSummary,
    { name, title, abstract, srs, managed = false }: TableToPublish,
    proposedName = table.name,
  ): Promise<LayerRecord> {
    if (name !== undefined) checkName('Layer', name)
    const isFurtherGeometry = table.name === table.table ? undefined : true
    const inPlace: InPlace = { managed, isFurtherGeometry, columnsMark: table.columnsMark }
    checkManaged(table.name, inPlace)
    const rights = table.problems.find(({ code }) => code === 'no-rights')
    if (rights !== undefined) throw invalid('unreadable-table', rights.message)
    const opened = await this.#stores.open(store)
    const description = await opened.findTable(table.name, { readsRows: false })
    if (description === undefined) throw unknownTable(store, table.name)
    const { schema } = description
    const details: LayerDetails = {
      kind: 'vector',
      title: title ?? table.name,
      abstract,
      originalName: table.name,
      style: defaultStyleName(schema.geometry?.type, 'vector'),
      ...locationOf(description, srs),
      schema,
      featureCount: description.featureCount,
      inPlace,
    }
    return insertPublished(this.#deps, store, { nativeName: table.name, name, proposedName, details })
  }
}

function findTable(store: StoreRecord, tables: readonly TableSummary[], name: string): TableSummary {
  const found =
    tables.find((table) => table.name === name) ??
    tables.find((table) => table.name.toLowerCase() === name.toLowerCase())
  if (found === undefined) throw unknownTable(store, name)
  return found
}

function unknownTable(store: StoreRecord, table: string): Error {
  return invalid(
    'unknown-table',
    `There is no table "${table}" in store "${store.name}": list its tables with GET …/datastores/${store.name}/tables`,
  )
}

/** Returns CRS and bounds. A CRS that the table declares cannot be replaced. */
export function locationOf(
  { schema, envelope }: Pick<TableDescription, 'schema' | 'envelope'>,
  requested: string | undefined,
): Pick<LayerDetails, 'srs' | 'crs' | 'envelope'> {
  const { geometry } = schema
  if (geometry === undefined) return {}
  const { crs } = geometry
  const srs = crs && (crs.srs ?? matchCrs(crs))
  if (requested === undefined) return { srs, crs: srs === undefined ? crs : { ...crs, srs }, envelope }
  const given = findCrs(requested)?.srs
  if (given === undefined)
    throw invalid('unknown-srs', `The CRS "${requested}" is not known: name it like "EPSG:25832"`)
  if (srs !== undefined && srs !== given)
    throw invalid(
      'srs-declared',
      `Column "${geometry.name}" declares ${srs}: a table published in place keeps its CRS. Publish a view that transforms it to ${given}, or leave "srs" out`,
    )
  return { srs: given, crs: { ...crs, srs: given }, envelope }
}
