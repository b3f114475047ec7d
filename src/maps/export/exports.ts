import type { Layers } from '../../catalog/doors/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { MadeFile } from '../../jobs/files/made-file.ts'
import type { MakeTask } from '../../jobs/files/made-files.ts'
import { MadeFiles } from '../../jobs/files/made-files.ts'
import type { Clock } from '../../lib/clock.ts'
import { defined } from '../../lib/defined.ts'
import { Failure, invalid } from '../../lib/errors.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EarlierVersions } from '../earlier/earlier-versions.ts'
import type { Maps } from '../maps.ts'
import type { ExportFormat } from './archive.ts'
import { earlierSource } from './earlier-source.ts'
import type { Bounds } from './visit-tiles.ts'
import { writeArchive } from './write-archive.ts'

/** Request for an export. */
export interface ExportWish {
  format: ExportFormat
  minZoom: number
  maxZoom: number
  bbox?: Bounds
  /** Version of the layer; absent: the current one. */
  version?: number
}

/** A stored export of a layer. Its progress counts tiles. */
export interface ExportRecord extends MadeFile, ExportWish {
  format: ExportFormat
}

interface ExportNeeds {
  maps: Pick<Maps, 'tile' | 'requireTiles'>
  layers: Pick<Layers, 'findById' | 'versionOf' | 'isStill'>
  earlier: Pick<EarlierVersions, 'whenReady' | 'tile'>
  events: EventBus
  clock: Clock
  log: Pick<Logger, 'warn'>
}

interface ExportLimits {
  folder: string
  /** Most that all exported files may take together. */
  maxBytes: number
}

/** At a time; others wait. */
const atATime = 2
const heavyAtATime = atATime - 1
/** Rows of a layer whose tiles are made within a few seconds. */
const lightExportRows = 20_000
const mostWaiting = 20
const mostTiles = 5_000_000

/** Files of all tiles of a layer, made on request and stored for a day. */
export class Exports {
  readonly #needs: ExportNeeds
  readonly files: MadeFiles<ExportRecord, LayerRecord>

  constructor(needs: ExportNeeds, { folder, maxBytes }: ExportLimits) {
    this.#needs = needs
    const { layers, events, clock, log } = needs
    this.files = new MadeFiles(
      {
        events,
        clock,
        log,
        findLayer: (id) => layers.findById(id),
        refuse: { tooMany: tooManyExports, full: () => full(maxBytes) },
      },
      { folder, maxBytes, atATime, heavyAtATime, mostWaiting },
    )
  }

  start(): Promise<void> {
    return this.files.start()
  }

  /** Throws `Failure`: `no-tiles`, `too-many-exports`, `exports-full`. */
  async begin(layer: LayerRecord, wish: ExportWish, user: string): Promise<ExportRecord> {
    if (wish.version === undefined) await this.#needs.maps.requireTiles(layer)
    const { id: layerId, workspace, name } = layer
    return this.files.begin({
      wanted: { ...wish, layerId, workspace, layer: name, user },
      make: (task, signal) => this.#make(task, signal),
      owner: user,
      isHeavy: (layer.details.featureCount ?? Number.POSITIVE_INFINITY) > lightExportRows,
    })
  }

  close(): Promise<void> {
    return this.files.close()
  }

  async #make(
    { record, path, checkSize, onProgress }: MakeTask<ExportRecord>,
    signal: AbortSignal,
  ): Promise<{ sizeBytes: number }> {
    const { layerId, format, minZoom, maxZoom, bbox, version } = record
    const wish = { layerId, format, minZoom, maxZoom, mostTiles, path, ...defined({ bbox }) }
    const source = version === undefined ? {} : earlierSource(this.#needs, version)
    const needs = { ...this.#needs, ...source, checkSize }
    const onVisited = ({ visited, known }: { visited: number; known: number }): void =>
      onProgress(visited, known)
    return { sizeBytes: await writeArchive(needs, wish, onVisited, signal) }
  }
}

function tooManyExports(): Failure {
  const text = 'Too many exports wait already: try again later'
  return new Failure('tooMany', 'too-many-exports', text, { retryAfterSeconds: 60 })
}

function full(maxBytes: number): Failure {
  const text = `Exported files may fill ${maxBytes} bytes altogether, which TERRANE_MAX_EXPORTS sets: delete one, or ask for fewer zooms`
  return invalid('exports-full', text)
}
