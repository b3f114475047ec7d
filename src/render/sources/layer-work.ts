import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { Failure } from '../../core/errors/errors.ts'
import { WorkerEnded } from '../../core/workers/worker-handle.ts'

/** A version, and whether changes by other programs could be detected. */
export type VersionState = Awaited<ReturnType<Layers['versionOf']>>

/** Creates a result from the data of a layer, such as an overview. */
export interface LayerWorkSteps<Request extends { layer: LayerRecord }, Result> {
  /** Finds the result of an earlier run for the version, maybe by another process. */
  find(layer: LayerRecord, version: number): Promise<Result | undefined>
  /** Creates the result; `isOfVersion` is true if all data read belong to the version, checked afterwards. */
  make(
    request: Request,
    version: number,
    signal: AbortSignal,
  ): Promise<{ result: Result; isOfVersion: boolean }>
}

interface Known<Result> {
  version: number
  result: Result
  /** Expiry of a result whose data may not be of the version: used only for such data, and briefly. */
  looseUntil?: number
}

interface Making<Result> {
  version: number
  result: Promise<Result>
  abort: AbortController
}

const maxKnown = 10_000
/** Minimum lifetime of a result for data that always change, and its factor of the time needed to make it. */
const looseMs = 10_000
const looseFactor = 20
/** Time after a failure before the next attempt. */
const failurePauseMs = 5000

/** Makes one result per layer and version, one at a time per layer, and shares it with all callers. */
export class LayerWork<Request extends { layer: LayerRecord }, Result> {
  readonly #steps: LayerWorkSteps<Request, Result>
  readonly #known = new Map<number, Known<Result>>()
  readonly #making = new Map<number, Making<Result>>()
  readonly #failed = new Map<number, { version: number; untilMs: number; error: unknown }>()

  constructor(steps: LayerWorkSteps<Request, Result>) {
    this.#steps = steps
  }

  /** Returns the result from memory, or of an earlier run, or of a new one. A run continues if its callers leave. */
  async of(request: Request, now: VersionState, signal: AbortSignal): Promise<Result> {
    const { id } = request.layer
    const known = this.#find(id, now) ?? (await this.#findMade(request.layer, now.version))
    if (known !== undefined) return known
    const failed = this.#failed.get(id)
    if (failed?.version === now.version && performance.now() < failed.untilMs) throw failed.error
    return orAborted(this.#join(request, now.version), signal)
  }

  /** Aborts work for deleted layers. */
  keepOnly(layers: ReadonlyMap<number, unknown>): void {
    for (const [id, { abort }] of this.#making)
      if (!layers.has(id)) abort.abort(new Error('The layer was removed'))
    for (const id of this.#known.keys()) if (!layers.has(id)) this.#known.delete(id)
  }

  /** Aborts all work. */
  async close(): Promise<void> {
    const making = [...this.#making.values()]
    for (const { abort } of making) abort.abort(new Error('The server stops'))
    await Promise.allSettled(making.map(({ result }) => result))
  }

  #find(layerId: number, { version, isCurrent }: VersionState): Result | undefined {
    const known = this.#known.get(layerId)
    if (known?.version !== version) return undefined
    const { result, looseUntil } = known
    if (looseUntil === undefined) return result
    return !isCurrent && performance.now() < looseUntil ? result : undefined
  }

  async #findMade(layer: LayerRecord, version: number): Promise<Result | undefined> {
    const result = await this.#steps.find(layer, version)
    if (result !== undefined) this.#remember(layer.id, { version, result })
    return result
  }

  #join(request: Request, version: number): Promise<Result> {
    const { id } = request.layer
    const making = this.#making.get(id)
    if (making !== undefined && making.version >= version) return making.result
    const abort = new AbortController()
    const result = this.#makeAfter(making, request, version, abort.signal)
    const own: Making<Result> = { version, result, abort }
    this.#making.set(id, own)
    const end = (): void => {
      if (this.#making.get(id) === own) this.#making.delete(id)
    }
    result.then(end, (error: unknown) => {
      end()
      put(this.#failed, id, { version, untilMs: performance.now() + failurePauseMs, error })
    })
    return result
  }

  /** Cancels work for an older version first. */
  async #makeAfter(
    older: Making<Result> | undefined,
    request: Request,
    version: number,
    signal: AbortSignal,
  ): Promise<Result> {
    older?.abort.abort(new Error('The layer has a newer version'))
    await older?.result.catch(() => undefined)
    signal.throwIfAborted()
    const begun = performance.now()
    const { result, isOfVersion } = await this.#steps.make(request, version, signal).catch(throwFailure)
    if (isOfVersion) {
      this.#remember(request.layer.id, { version, result })
      return result
    }
    const restMs = Math.max(looseMs, (performance.now() - begun) * looseFactor)
    this.#remember(request.layer.id, { version, result, looseUntil: performance.now() + restMs })
    return result
  }

  #remember(layerId: number, known: Known<Result>): void {
    put(this.#known, layerId, known)
  }
}

/** Throws a `Failure` with a retry time if a process ended unexpectedly, usually for lack of memory; otherwise the error. */
function throwFailure(error: unknown): never {
  if (!(error instanceof WorkerEnded)) throw error
  const text = 'Preparing the tiles of the layer needed more memory than a process has'
  throw new Failure('unavailable', 'tiles-not-ready', text, { cause: error, retryAfterSeconds: 10 })
}

/** Moves an entry to the end; removes the first one if there are too many. */
function put<Value>(map: Map<number, Value>, key: number, value: Value): void {
  map.delete(key)
  map.set(key, value)
  for (const first of map.keys()) {
    if (map.size <= maxKnown) return
    map.delete(first)
  }
}
