import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog, RestorePlan, VersionedLayer, VersionRecord } from '../../catalog/index.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { conflict, Failure, notFound } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { isSameCrs } from '../../geo/crs-same.ts'
import type { RowMatch } from '../../stores/index.ts'
import type { StateChanges } from '../../stores/worker.ts'
import type { CompareHandlers, VersionLocation } from './compare-work.ts'

interface VersionChangesDeps {
  catalog: Pick<Catalog, 'layers' | 'stores' | 'versions'>
  /** Parent of the folders of change lists. */
  root: string
}

/** Versions of a layer to compare: changes from `before` to `after`. */
export interface ComparedVersions {
  before: number
  after: number
  /** Columns that identify rows if ids do not. */
  keys: readonly string[]
}

/** Differences between two versions, and the change file that lists them. */
export interface VersionDifference extends StateChanges {
  path: string
}

/** Maximum number of listed changes; all changes are counted. */
const maxListed = 100_000
/** Number of cached lists, the most recently used. */
const maxKept = 16
/** Time that a request waits for a comparison. */
const longestWaitMs = 15_000
const limits = { silenceMs: 600_000, deadlineMs: 6 * 3_600_000 }
const maxHeapMb = 1024
/** Maximum number of concurrent comparisons; one slot is reserved for small layers. */
const comparisons = 2
/** Number of rows up to which versions are compared within seconds. */
const lightRows = 100_000
/** Prefix of folder names; each process appends its own number. */
const folderPrefix = 'comparisons-'
/** Age after which an unchanged folder is abandoned. */
const leftAfterMs = 86_400_000

/** Compares versions of layers, in the background if that takes long. */
export class VersionChanges {
  readonly #deps: VersionChangesDeps
  readonly #folder: string
  readonly #found = new PromiseCache<string, VersionDifference>({
    limit: maxKept,
    onRemoved: ({ path }) => rm(path, { force: true }),
  })
  readonly #closing = new AbortController()
  readonly #pool = new WorkPool<CompareHandlers>({
    start: (options) =>
      startProcess(new URL('./compare-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: comparisons,
    heavyLimit: comparisons - 1,
  })

  constructor(deps: VersionChangesDeps) {
    this.#deps = deps
    this.#folder = join(deps.root, `${folderPrefix}${randomUUID()}`)
  }

  /**
   * Compares two versions. Throws `Failure`: `not-found` for an unknown version and for layers without rows,
   * `conflict` for a version that cannot be read or compared, `unavailable` while the comparison runs.
   */
  async between(
    of: VersionedLayer,
    comparedVersions: ComparedVersions,
    signal: AbortSignal,
  ): Promise<VersionDifference> {
    const before = await this.#side(of, comparedVersions.before)
    const after = await this.#side(of, comparedVersions.after)
    requireSameCrs(before.version, after.version)
    const match = {
      ...(await this.#matchOf(of, before, after, comparedVersions.keys)),
      ...defined({ identity: sharedIdentity(before.version, after.version) }),
    }
    const contents = [before, after].map(({ version, location }) => [
      version.content.id,
      version.details.schema,
      location.table,
    ])
    const found = this.#kept(JSON.stringify([contents, match]), async (file) => {
      const request = { before: before.location, after: after.location, match, file, limit: maxListed }
      const sizes = [before, after].map(({ version }) => version.details.featureCount)
      const isHeavy = sizes.some((rows = Number.POSITIVE_INFINITY) => rows > lightRows)
      const call = { ...limits, signal: this.#closing.signal, isHeavy, onNotice: () => undefined }
      const changes = await this.#pool.call('compare', request, call)
      for (const side of [before, after]) await this.#requireUnmoved(of, side)
      return { ...changes, path: file }
    })
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)])
    return orAborted(found, waiting).catch((error: unknown) => {
      throw waiting.aborted && !signal.aborted ? notReady(comparedVersions) : error
    })
  }

  /** Removes folders left by earlier processes. */
  async start(): Promise<void> {
    for (const name of await readdir(this.#deps.root).catch((): string[] => [])) {
      const folder = join(this.#deps.root, name)
      if (!name.startsWith(folderPrefix) || folder === this.#folder) continue
      const known = await stat(folder).catch(() => undefined)
      if (known !== undefined && Date.now() - known.mtimeMs > leftAfterMs)
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server stops'))
    await this.#pool.close()
    await this.#found.settled()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #kept(key: string, find: (file: string) => Promise<VersionDifference>): Promise<VersionDifference> {
    return this.#found.get(key, async () => {
      const file = join(this.#folder, `${randomUUID()}.gpkg`)
      await mkdir(this.#folder, { recursive: true })
      try {
        return await find(file)
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
    })
  }

  async #side(of: VersionedLayer, number: number): Promise<Side> {
    const { versions, stores } = this.#deps.catalog
    const version = await versions.get(of, number)
    if (version.details.kind !== 'vector')
      throw notFound('no-features', `Version ${number} has no rows that could be compared`)
    const way = await versions.wayBack(version)
    if (way.kind === 'none')
      throw conflict('not-restorable', `Version ${number} cannot be read: ${way.reason}`)
    const { files } = version.content
    const connection =
      way.kind === 'files' && files !== undefined
        ? stores.keptConnection(files)
        : await stores.connection(await stores.get(version.storeId))
    const path = way.kind === 'table' ? way.path : undefined
    const { schema } = path?.at(-1)?.table ?? version.details
    return { version, way, location: { connection, schema, path, table: version.nativeName } }
  }

  /** Throws if the table was changed after it was read. */
  async #requireUnmoved({ layer, ...of }: VersionedLayer, { version, way }: Side): Promise<void> {
    const { layers, versions } = this.#deps.catalog
    if (way.kind !== 'present') return
    if (layer !== undefined) await layers.versionOf(layer)
    const now = await versions.get({ ...of, layer }, version.version)
    if (now.content.id === version.content.id && now.content.form === 'present') return
    throw new Failure('unavailable', 'version-not-ready', 'The layer was changed while it was compared', {
      retryAfterSeconds: 1,
    })
  }

  /**
   * Ids identify rows if the table preserved them: all steps between the versions are differences, none
   * replaced all rows.
   */
  async #matchOf(of: VersionedLayer, a: Side, b: Side, keys: readonly string[]): Promise<RowMatch> {
    const byKeys = { by: 'keys', keys } as const
    if (a.version.content.id === b.version.content.id) return { by: 'ids' }
    if (!isReachedByDifferences(a.way, b.way) && !isReachedByDifferences(b.way, a.way)) return byKeys
    const [from, to] = [a, b].map(({ version }) => version.version).sort((x, y) => x - y) as [number, number]
    const between = (await this.#deps.catalog.versions.list(of)).filter(
      ({ version }) => version > from && version <= to,
    )
    return between.some(({ mode }) => mode === 'REPLACE') ? byKeys : { by: 'ids' }
  }
}

/** Returns the identity column that both versions have. */
function sharedIdentity(...versions: [VersionRecord, VersionRecord]): string | undefined {
  const [first, second] = versions.map(({ details }) => details.identity)
  return first === second ? first : undefined
}

interface Side {
  version: VersionRecord
  way: RestorePlan
  location: VersionLocation
}

/** True if the restore path to `earlier` leads through `later` and from there only through differences. */
function isReachedByDifferences(earlier: RestorePlan, later: RestorePlan): boolean {
  if (earlier.kind !== 'table') return false
  if (later.kind === 'present') return earlier.path.every(({ form }) => form === 'difference')
  if (later.kind !== 'table' || later.path.length > earlier.path.length) return false
  return later.path.every(({ id }, at) => id === earlier.path[at]?.id)
}

function requireSameCrs(a: VersionRecord, b: VersionRecord): void {
  const [first, second] = [a, b].map(({ details }) => details.schema.geometry)
  if (first === undefined || second === undefined) return
  if (!isSameCrs(first.crs, second.crs))
    throw conflict(
      'not-comparable',
      `Versions ${a.version} and ${b.version} cannot be compared: their coordinates are in different systems`,
    )
}

function notReady({ before, after }: ComparedVersions): Failure {
  const text = `Versions ${before} and ${after} are being compared`
  return new Failure('unavailable', 'version-not-ready', text, { retryAfterSeconds: 10 })
}
