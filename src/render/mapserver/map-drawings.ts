import { type LayerRecord, type Layers, type LayerVersion, settledLayer } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { lightRows } from '../../stores/index.ts'
import { getStoreDescription } from '../../stores/registry.ts'
import {
  type DrawnTable,
  postgresDialect,
  type Style,
  sqliteDialect,
  writeMapServer,
} from '../../styles/index.ts'
import type { ReadableTable, TileSources } from '../sources/tile-sources.ts'
import { CachedMapFiles } from './cached-map-files.ts'
import type { MapFileLayer, PartSource } from './map-file.ts'
import { mapFileText, partNames } from './map-file.ts'
import { MapServer } from './map-server.ts'
import { drawnTable, geoPackageSource, passLine, postgisSource } from './table-source.ts'

/** Rows of a layer in a GeoPackage of their own. */
export interface DrawnRows {
  path: string
  table: string
  /** The column of geometries. */
  geometry: string
  srs: string
  /** Column names by attribute names of the layer, where they differ. */
  renamed: Record<string, string>
  rowCount: number
}

/** A layer with its style. */
export interface StyledLayer {
  layer: LayerRecord
  style: Style
  /** The version to draw; absent: the current one, which is read if the drawing depends on it. */
  now?: LayerVersion
  /** Rows to draw; absent: all. */
  rows?: DrawnRows
}

/** Formats of drawings. */
export const drawingFormats = { png: 'image/png', png8: 'image/png; mode=8bit', jpeg: 'image/jpeg' } as const
/** One of `drawingFormats`. */
export type DrawingFormat = keyof typeof drawingFormats

/** Request for a drawing. */
export interface DrawingRequest {
  /** Layers in drawing order, bottom first. */
  layers: readonly StyledLayer[]
  /** CRS of the image, such as `EPSG:25832`. */
  srs: string
  /** Extent in that CRS, x before y. */
  box: Envelope
  /** Cells. */
  width: number
  height: number
  format: DrawingFormat
  isTransparent: boolean
  /** `#rrggbb`. */
  background: string
  /** Pixels per OGC pixel (0.28 mm), which scales lengths of styles and scale denominators; default 1. */
  density?: number
  /**
   * Width of a margin without labels, in pixels: labels that would extend into it are omitted. Without a
   * margin labels may be cut.
   */
  labelMargin?: number
}

/** Maximum number of attempts if layers change while a map is drawn. */
const maxTries = 5

interface DrawingDeps {
  layers: Pick<Layers, 'findById' | 'isSettled' | 'isStill' | 'versionOf'>
  sources: TileSources
  log: Pick<Logger, 'warn'>
  /** Folder for files; emptied at the start. */
  folder: string
}

/** Draws maps: feature layers on top of each other by their styles, in any CRS that PROJ supports. */
export class MapDrawings {
  readonly #layers: DrawingDeps['layers']
  readonly #sources: TileSources
  readonly #log: Pick<Logger, 'warn'>
  readonly #files: CachedMapFiles
  readonly #server: MapServer

  constructor({ layers, sources, log, folder }: DrawingDeps) {
    this.#layers = layers
    this.#sources = sources
    this.#log = log
    this.#files = new CachedMapFiles(folder)
    this.#server = new MapServer(this.#files, {
      onError: (error) => log.warn({ err: error }, 'a MapServer process ended'),
    })
  }

  async close(): Promise<void> {
    await this.#server.close()
    await this.#files.close()
  }

  /** Returns the Debian package that is missing for drawings; undefined if none is missing. */
  missing(): Promise<string | undefined> {
    return this.#server.missing()
  }

  /**
   * Throws `Failure`: `no-map-server`, `no-tiles` for a layer that cannot be drawn, `unknown-crs`, `too-busy`, `too-slow`,
   * `drawing-failed`.
   */
  async draw(request: DrawingRequest, signal: AbortSignal): Promise<Uint8Array> {
    let { layers } = request
    for (let tries = 1; ; tries += 1) {
      const { bytes, versions } = await this.#drawOnce({ ...request, layers }, signal)
      const isChanged = await this.#changed(layers, versions)
      if (tries === maxTries || isChanged.every((is) => !is)) return bytes
      layers = await Promise.all(
        layers.map(async (styled, at) =>
          isChanged[at]
            ? { ...styled, ...(await settledLayer(this.#layers, styled.layer.id, signal)) }
            : styled,
        ),
      )
    }
  }

  /** Returns true if the layers may have more rows in the box than a light drawing reads. */
  async #isHeavy({ layers, srs, box }: DrawingRequest, signal: AbortSignal): Promise<boolean> {
    const rows = await Promise.all(
      layers.map(({ layer, rows: written }) =>
        written === undefined
          ? this.#sources.estimateRows(layer, { boxes: [box], srs }, signal)
          : written.rowCount,
      ),
    )
    return rows.reduce((sum, one) => sum + one, 0) > lightRows
  }

  #versionOf({ layer, now }: StyledLayer): Promise<LayerVersion> | LayerVersion {
    return now ?? this.#layers.versionOf(layer)
  }

  /** Returns the layers that changed between the reads of their parts. */
  #changed(
    layers: readonly StyledLayer[],
    versions: readonly (LayerVersion | undefined)[],
  ): Promise<boolean[]> {
    return Promise.all(
      layers.map(async ({ layer }, at) => {
        const now = versions[at]
        if (now === undefined) return false
        // If changes by other programs cannot be detected, at least the server's own writes are known.
        return !(await (now.isCurrent ? this.#layers.isStill(layer, now) : this.#layers.isSettled(layer)))
      }),
    )
  }

  async #drawOnce(
    request: DrawingRequest,
    signal: AbortSignal,
  ): Promise<{ bytes: Uint8Array; versions: (LayerVersion | undefined)[] }> {
    const { layers, srs, box, width, height, format, isTransparent, background } = request
    const { density, labelMargin } = request
    const hasWholeLabels = labelMargin !== undefined
    const drawn = await Promise.all(layers.map((layer) => this.#layerOf(layer, hasWholeLabels, signal)))
    // The parts of a layer are read one after the other, so it may change in between. One part is one read.
    const versions = await Promise.all(
      layers.map((styled, at) => {
        const isOneRead = styled.rows !== undefined || (drawn[at]?.parts.length ?? 0) < 2
        return isOneRead ? undefined : this.#versionOf(styled)
      }),
    )
    const visible = drawn.filter(({ parts }) => parts.length > 0)
    await this.#files.prepare()
    const text = mapFileText(visible, srs, this.#files.folder, { density, labelMargin })
    const mapFile = await this.#files.keep(text, 'map')
    const isHeavy = await this.#isHeavy(request, signal)
    const query = new URLSearchParams({
      SERVICE: 'WMS',
      VERSION: '1.1.1',
      REQUEST: 'GetMap',
      STYLES: '',
      EXCEPTIONS: 'XML',
      LAYERS: partNames(visible).join(','),
      SRS: srs,
      FORMAT: drawingFormats[format],
      BBOX: [box.minX, box.minY, box.maxX, box.maxY].join(','),
      WIDTH: String(width),
      HEIGHT: String(height),
      TRANSPARENT: isTransparent ? 'TRUE' : 'FALSE',
      BGCOLOR: background.replace('#', '0x'),
    })
    try {
      const resource = layers.map(({ layer }) => layer.id).join(' ')
      const bytes = await this.#server.draw(
        { mapFile, query: query.toString() },
        { resource, isHeavy, signal },
      )
      return { bytes, versions }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Failure) throw error
      this.#log.warn({ err: error }, 'a map was not drawn')
      throw new Failure(
        'unavailable',
        'drawing-failed',
        'The map could not be drawn; the log of the server says why',
        { cause: error },
      )
    }
  }

  async #layerOf(styled: StyledLayer, hasWholeLabels: boolean, signal: AbortSignal): Promise<MapFileLayer> {
    const { layer, style, rows } = styled
    const readable = () => this.#sources.readable(layer, () => this.#versionOf(styled), signal)
    const { table, source } =
      rows === undefined ? await this.#sourceOf(layer, await readable()) : rowsSource(layer, rows)
    return { source, parts: writeMapServer(style, { ...table, hasWholeLabels }).parts }
  }

  async #sourceOf(
    { details: { schema } }: LayerRecord,
    { connection, table, srs, columns }: ReadableTable,
  ): Promise<{ table: DrawnTable; source: PartSource }> {
    const geometryColumn = columns === undefined ? (schema.geometry?.name ?? '') : 'geom'
    const columnOf = (name: string, index: number): string => (columns === undefined ? name : `a${index}`)
    const address = getStoreDescription(connection.type).server?.addressOf(connection.parameters)
    if (address === undefined) {
      const { path = '' } = connection.parameters
      const drawn = drawnTable(schema, sqliteDialect, { geometryColumn, columnOf })
      return { table: drawn, source: geoPackageSource(path, table, geometryColumn, srs) }
    }
    const passFile = await this.#files.keep(passLine(address), 'pgpass')
    const drawn = drawnTable(schema, postgresDialect, { geometryColumn, columnOf })
    const place = { address, schema: address.schema, table, geometry: geometryColumn }
    const source = postgisSource({ ...place, srs, srid: Number(srs.split(':')[1]), passFile })
    return { table: drawn, source }
  }
}

function rowsSource(
  { details: { schema } }: LayerRecord,
  { path, table, geometry, srs, renamed }: DrawnRows,
): { table: DrawnTable; source: PartSource } {
  const columnOf = (name: string): string => ownValue(renamed, name) ?? name
  const drawn = drawnTable(schema, sqliteDialect, { geometryColumn: geometry, columnOf })
  return { table: drawn, source: geoPackageSource(path, table, geometry, srs) }
}
