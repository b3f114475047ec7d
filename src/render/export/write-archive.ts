import { setTimeout as sleep } from 'node:timers/promises'
import type { LayerRecord, Layers, LayerVersion } from '../../catalog/index.ts'
import { conflict, invalid, notFound } from '../../core/errors/errors.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import type { WorkerHandle } from '../../core/workers/worker-handle.ts'
import type { Maps } from '../maps.ts'
import { vectorFields } from '../vector-metadata.ts'
import type { ArchivedTile, ArchiveFacts } from './archive.ts'
import type { ArchiveHandlers, ArchiveWorkData } from './archive-work.ts'
import type { ExportBounds, VisitProgress, VisitTilesOptions } from './visit-tiles.ts'
import { tileBounds, visitTiles } from './visit-tiles.ts'

/** Dependencies of writing an archive. */
export interface WriteArchiveDeps {
  maps: Pick<Maps, 'tile'>
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>
  /** Throws if a file of this size is not permitted. */
  checkSize(sizeBytes: number): void
}

/** Archive to write, and its path. */
export interface ArchiveRequest extends VisitTilesOptions, ArchiveWorkData {
  layerId: number
  maxTiles: number
}

const file = new URL('./archive-work.ts', import.meta.url)
const maxTries = 3
const batchBytes = 1 << 20
const batchTiles = 500
/** Time to wait until no undetected change of the data is possible. */
const steadyMs = 20_000
const lookEveryMs = 500

/** The error for a layer whose version changed while the file was written. */
class LayerChanged extends Error {}

/**
 * Writes all tiles of a layer to a file, all of the same version: starts again if the layer changes. Returns
 * the size. Throws `Failure` (`conflict`, `layer-changed`) if it changes repeatedly.
 */
export async function writeArchive(
  deps: WriteArchiveDeps,
  request: ArchiveRequest,
  onProgress: (progress: VisitProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { layer, before } = await steadyLayer(deps.layers, request.layerId, signal)
    try {
      return await writeOnce(deps, request, { layer, before }, onProgress, signal)
    } catch (error) {
      if (!(error instanceof LayerChanged)) throw error
      if (tries === maxTries) throw changes(layer)
    }
  }
}

async function writeOnce(
  deps: WriteArchiveDeps,
  request: ArchiveRequest,
  { layer, before }: { layer: LayerRecord; before: LayerVersion },
  onProgress: (progress: VisitProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  const { path, format } = request
  const leaving = new AbortController()
  const both = AbortSignal.any([signal, leaving.signal])
  const thread = startThread<ArchiveHandlers>(file, { data: { path, format } satisfies ArchiveWorkData })
  try {
    const make = async (tile: ArchivedTile['tile']) => {
      const made = await deps.maps.tile(layer, { set: 'WebMercatorQuad', tile }, both, { isKept: false })
      if (made.version !== before.version) throw new LayerChanged()
      return made
    }
    const tell = (progress: VisitProgress): void => {
      if (progress.known > request.maxTiles) throw tooMany(request.maxTiles)
      onProgress(progress)
    }
    const bounds = await addAll(deps, thread, visitTiles(request, make, tell), signal)
    await confirm(deps.layers, layer, before, signal)
    const sizeBytes = await thread.call(
      'finish',
      { facts: factsOf(layer, before, request, bounds) },
      { signal },
    )
    deps.checkSize(sizeBytes)
    return sizeBytes
  } catch (error) {
    await thread.call('discard').catch(() => undefined)
    throw error
  } finally {
    leaving.abort(new Error('The archive is finished or given up'))
    await thread.end()
  }
}

/** Sends tiles to the thread in batches; returns the bounds of those of the deepest zoom. */
async function addAll(
  { checkSize }: Pick<WriteArchiveDeps, 'checkSize'>,
  thread: WorkerHandle<ArchiveHandlers>,
  tiles: AsyncIterable<ArchivedTile>,
  signal: AbortSignal,
): Promise<ExportBounds | undefined> {
  let batch: ArchivedTile[] = []
  let sizeBytes = 0
  let covered: { z: number; bounds: ExportBounds } | undefined
  const send = async (): Promise<void> => {
    checkSize(await thread.call('add', { tiles: batch }, { signal }))
    batch = []
    sizeBytes = 0
  }
  for await (const { tile, bytes } of tiles) {
    signal.throwIfAborted()
    // A view of a larger buffer would be copied to the thread completely.
    batch.push({ tile, bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice() })
    sizeBytes += bytes.length
    covered = {
      z: tile.z,
      bounds: union(covered?.z === tile.z ? covered.bounds : undefined, tileBounds(tile)),
    }
    if (batch.length >= batchTiles || sizeBytes >= batchBytes) await send()
  }
  await send()
  return covered?.bounds
}

function union(all: ExportBounds | undefined, one: ExportBounds): ExportBounds {
  if (all === undefined) return one
  const [west, south, east, north] = all
  return [Math.min(west, one[0]), Math.min(south, one[1]), Math.max(east, one[2]), Math.max(north, one[3])]
}

function factsOf(
  layer: LayerRecord,
  { version }: LayerVersion,
  { minZoom, maxZoom }: ArchiveRequest,
  bounds: ExportBounds = [-180, -85.051_128_78, 180, 85.051_128_78],
): ArchiveFacts {
  const { title, abstract } = layer.details
  return {
    name: title,
    minZoom,
    maxZoom,
    bounds,
    version,
    description: abstract,
    layer: { id: layer.name, fields: vectorFields(layer) },
  }
}

/** Returns the layer once no undetected change is possible. */
async function steadyLayer(
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>,
  layerId: number,
  signal: AbortSignal,
): Promise<{ layer: LayerRecord; before: LayerVersion }> {
  const deadline = performance.now() + steadyMs
  for (;;) {
    const layer = await layers.findById(layerId)
    if (layer === undefined) throw notFound('unknown-layer', 'The layer does not exist any more')
    const before = await layers.versionOf(layer)
    if (before.isCurrent) return { layer, before }
    if (performance.now() > deadline) throw changes(layer)
    await sleep(lookEveryMs, undefined, { signal })
  }
}

/** Throws `LayerChanged` if the layer no longer has the version. */
async function confirm(
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>,
  { id }: LayerRecord,
  before: LayerVersion,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + steadyMs
  for (;;) {
    if (await layers.isStill({ id }, before)) return
    const layer = await layers.findById(id)
    const now = layer === undefined ? undefined : await layers.versionOf(layer)
    if (now?.version !== before.version || performance.now() > deadline) throw new LayerChanged()
    await sleep(lookEveryMs, undefined, { signal })
  }
}

function changes({ workspace, name }: LayerRecord): Error {
  const text = `Layer "${workspace}:${name}" changes all the time, or it cannot be seen whether others change it: the file would mix its versions. Try again when nobody writes to it`
  return conflict('layer-changed', text)
}

function tooMany(maxTiles: number): Error {
  const text = `The export has more than ${maxTiles} tiles: ask for fewer zooms or a smaller box`
  return invalid('export-too-large', text)
}
