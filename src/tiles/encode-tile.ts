import type { FeatureBatch } from '../geo/batch.ts'
import { isValid } from '../geo/column.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Reprojector } from '../geo/crs-projector.ts'
import { linearWkb } from '../geo/curves/curve-wkb.ts'
import type { Envelope } from '../geo/envelope.ts'
import { reprojectGeometry } from '../geo/reproject-geometry.ts'
import type { Schema } from '../geo/schema.ts'
import { GeometryError, normalizeWkb } from '../geo/wkb.ts'
import type { ShownCells } from './attributes.ts'
import { AttributeTable } from './attributes.ts'
import type { DrawingTools } from './drawing-tools.ts'
import { giveToolsBack, takeTools } from './drawing-tools.ts'
import type { NearRows } from './rows/row-chunk.ts'
import { NearRow } from './rows/row-chunk.ts'
import { CellGrid } from './shape/cell-shapes.ts'
import { lineType, pointType, polygonType } from './shape/commands.ts'
import type { Paths } from './shape/paths.ts'
import type { Placer } from './shape/placer.ts'
import { createPlacer } from './shape/placer.ts'
import { ForeignForm } from './shape/read-shape.ts'
import type { Drawn } from './shape/shape-writer.ts'
import { asEnlarged, boundsOfAll, isDrawn } from './shape/shape-writer.ts'
import type { TileFeature, TileLimits } from './tile-features.ts'
import { TileFeatures } from './tile-features.ts'
import type { TileAddress, TileMatrixSet } from './tile-matrix-sets.ts'
import { WaitingRows } from './waiting-rows.ts'
import { tileExtent } from './world.ts'

/** Options of a tile encoder. */
export interface TileEncoderOptions {
  /** Name of the layer in the tile. */
  name: string
  /** Schema of the rows: a non-numeric id gets an attribute name that the schema does not use. */
  schema: Schema
  set: TileMatrixSet
  tile: TileAddress
  /** CRS of the coordinates; default: the CRS of the tile matrix set. */
  crs?: CrsDeclaration | string
  /** Transforms to the CRS of the set; not needed if it is the same. */
  reprojector?: Reprojector
  /**
   * Boxes of the tile's rows, in their CRS: there coordinates are transformed by an approximation of equal
   * quality.
   */
  boxes?: readonly Envelope[]
  /** Cell size for sampling polygons, from `areaCellOf`; undefined to draw all. */
  areaCell?: number | undefined
  limits?: Partial<TileLimits>
}

/** Statistics of the rows read for a tile. */
export interface TileCounts {
  read: number
  drawn: number
  /** Omitted by the thinning rules. */
  thinned: number
  /** Omitted since a vertex cannot be projected to the CRS of the tile. */
  withoutImage: number
  /**
   * Of the drawn features: those drawn as the smallest possible shape, since they are smaller than a tile
   * unit.
   */
  collapsed: number
  /** Number of drawn polygons that were enlarged to a cell because they represent omitted ones. */
  enlarged: number
  /** Omitted since their geometry cannot be read or drawn validly. */
  invalid: number
  /**
   * Omitted because of the limits on features, vertices or bytes of the tile: the smallest; of equally large
   * ones the later ones.
   */
  overLimit: number
  /** Texts of features omitted because of the size limit of one feature. */
  longTexts: number
}

/** One layer of a vector tile: concatenated layers form a tile with several layers. */
interface EncodedTile {
  /** Empty if nothing is drawn. */
  bytes: Uint8Array
  counts: TileCounts
}

/** Rows with their ids: texts, or integers that tiles support. */
interface RowPage {
  batch: FeatureBatch
  ids: readonly string[] | Float64Array
}

/** Encodes rows in their order as a layer of a tile. The same rows give the same bytes. */
export interface TileEncoder {
  /**
   * Adds rows of a page; absent: all. Returns a promise only if an external program transforms to the CRS of
   * the tile.
   */
  add(page: RowPage, rows?: Uint32Array): void | Promise<void>
  /**
   * Adds a range of rows of a row file. Must not be called if an external program transforms to the CRS of
   * the tile.
   */
  addNear(rows: NearRows, from: number, to: number, shown: ShownCells): void
  finish(): EncodedTile
}

/** Returns the counts of an empty tile. */
export function noTileCounts(): TileCounts {
  return {
    read: 0,
    drawn: 0,
    thinned: 0,
    withoutImage: 0,
    collapsed: 0,
    enlarged: 0,
    invalid: 0,
    overLimit: 0,
    longTexts: 0,
  }
}

/** Creates the encoder of a tile layer. */
export function createTileEncoder(options: TileEncoderOptions): TileEncoder {
  return new LayerEncoder(options)
}

class LayerEncoder implements TileEncoder {
  readonly #options: TileEncoderOptions
  readonly #counts = noTileCounts()
  readonly #placer: Placer
  readonly #tools: DrawingTools
  #rows = 0
  readonly #near = new NearRow()
  /** Id of the current row. */
  #id: string | number = 0
  #size = 0
  /** Returns the number of its texts that are too long. */
  #writeTags: () => number = () => 0
  readonly #feature: TileFeature
  readonly #attributes: AttributeTable
  readonly #features: TileFeatures
  /** Set if pages must be transformed by a program first. */
  readonly #program: Reprojector | undefined
  /** Grid for sampling polygons. */
  readonly #grid: CellGrid | undefined
  readonly #waiting = new WaitingRows()

  constructor(options: TileEncoderOptions) {
    this.#options = options
    const { set, tile, crs, reprojector, schema, boxes = [], areaCell, limits } = options
    const isProgram = reprojector !== undefined && reprojector.transformPlace === undefined
    this.#program = isProgram ? reprojector : undefined
    this.#placer = createPlacer({
      set,
      tile,
      crs: crs ?? set.srs,
      reprojector: isProgram ? undefined : reprojector,
      box: boxes.length === 1 && !isOfPoints(schema) ? boxes[0] : undefined,
    })
    this.#tools = takeTools(this.#placer, set.columns * 2 ** tile.z === 1)
    const { values, allTags, allCommands } = this.#tools
    if (areaCell !== undefined) {
      this.#grid = new CellGrid(set.id, tile, areaCell)
      this.#tools.shapes.keepsArea = true
    }
    this.#attributes = new AttributeTable(schema, values)
    const { tags, commands } = this.#tools
    this.#feature = { row: 0, size: 0, id: 0, type: 0, tags, commands, vertices: 0 }
    this.#features = new TileFeatures({ tags: allTags, commands: allCommands, values }, limits)
  }

  add(page: RowPage, rows?: Uint32Array): void | Promise<void> {
    const program = this.#program
    if (program === undefined || page.batch.geometry === undefined) return this.#addRows(page, { rows })
    return this.#addByProgram(page, { rows, program })
  }

  async #addByProgram(
    { batch, ids }: RowPage,
    { rows, program }: { rows: Uint32Array | undefined; program: Reprojector },
  ): Promise<void> {
    if (batch.geometry === undefined) return
    const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, program)
    this.#addRows({ batch: { ...batch, geometry }, ids }, { rows, failed: new Set(failedRows) })
  }

  #addRows(
    { batch, ids }: RowPage,
    { rows, failed }: { rows: Uint32Array | undefined; failed?: ReadonlySet<number> },
  ): void {
    const { geometry } = batch
    const count = rows?.length ?? batch.rowCount
    this.#counts.read += count
    if (geometry === undefined) return
    const view = viewOf(geometry.bytes)
    for (let at = 0; at < count; at += 1) {
      const row = rows === undefined ? at : (rows[at] as number)
      if (!isValid(geometry.validity, row)) continue
      if (failed?.has(row) === true) this.#counts.withoutImage += 1
      else this.#addRow(batch, row, ids[row] ?? '', view)
    }
    this.#waiting.endPage(batch)
  }

  addNear(rows: NearRows, from: number, to: number, shown: ShownCells): void {
    const { view } = rows.memory
    const row = this.#near
    this.#counts.read += to - from
    this.#writeTags = () => this.#attributes.writeNear(rows, row, shown, this.#tools.tags)
    for (let at = from; at < to; at += 1) {
      rows.read(at, row)
      if (row.wkbEnd === row.wkbStart) continue
      const { minX, minY, maxX, maxY } = row
      if (!this.#readRow(view, row.wkbStart, row.wkbEnd, this.#isPolar(minY, maxY))) continue
      this.#rows += 1
      const size = Math.max(maxX - minX, maxY - minY) || 0
      this.#draw(row.id, size)
    }
  }

  #addRow(batch: FeatureBatch, row: number, id: string | number, view: DataView): void {
    const { geometry } = batch
    if (geometry === undefined) return
    const { envelopes, offsets } = geometry
    const isPolar = this.#isPolar(envelopes[row * 4 + 1] as number, envelopes[row * 4 + 3] as number)
    if (!this.#readRow(view, offsets[row] as number, offsets[row + 1] as number, isPolar)) return
    this.#rows += 1
    this.#writeTags = () => this.#attributes.write(batch, row, this.#tools.tags)
    const size = sizeOf(batch, row)
    if (this.#draw(id, size) === 'waiting')
      this.#waiting.add({ row: this.#rows, id, size, isOwn: this.#isOwn(this.#tools.reader.rings) }, row)
  }

  /** Returns false, and counts the row, if there is nothing to draw. */
  #readRow(view: DataView, start: number, end: number, isPolar: boolean): boolean {
    const isRead = this.#read(view, start, end, isPolar)
    if (!isRead) this.#counts.invalid += 1
    else if (!this.#tools.reader.hasImage) this.#counts.withoutImage += 1
    return isRead && this.#tools.reader.hasImage
  }

  #isPolar(minY: number, maxY: number): boolean {
    const limit = this.#placer.latitudeLimit
    return limit !== undefined && !(minY >= -limit && maxY <= limit)
  }

  /** Returns false if the bytes are not a geometry. */
  #read(view: DataView, start: number, end: number, isPolar: boolean): boolean {
    try {
      this.#tools.reader.read(view, start, end, isPolar)
      return true
    } catch (error) {
      if (error instanceof ForeignForm) return this.#readForeign(view, start, end, isPolar)
      if (error instanceof GeometryError) return false
      throw error
    }
  }

  /** Reads curves, the other byte order, and PostGIS flags. */
  #readForeign(view: DataView, start: number, end: number, isPolar: boolean): boolean {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start, end - start)
    for (const bringHome of [normalizeWkb, (source: Uint8Array) => linearWkb(source, 0, source.length)]) {
      try {
        const home = bringHome(bytes)
        this.#tools.reader.read(
          new DataView(home.buffer, home.byteOffset, home.length),
          0,
          home.length,
          isPolar,
        )
        return true
      } catch (error) {
        if (!(error instanceof GeometryError)) throw error
      }
    }
    return false
  }

  /** Points, lines and polygons of one row are as many features: a feature of a tile has one type. */
  #draw(id: string | number, size: number): Drawn {
    const { points, lines, rings } = this.#tools.reader
    const { shapes } = this.#tools
    this.#id = id
    this.#size = size
    let outcome: Drawn = 'outside'
    if (rings.count > 0) outcome = this.#write(polygonType, this.#drawPolygons(rings), outcome)
    if (lines.count > 0) outcome = this.#write(lineType, shapes.lines(lines), outcome)
    if (points.count > 0) outcome = this.#write(pointType, shapes.points(points), outcome)
    this.#count(outcome, outcome === 'thinned' && this.#isOwn(rings))
    return outcome
  }

  #count(outcome: Drawn, isOwn: boolean): void {
    if (outcome === 'invalid') this.#counts.invalid += 1
    if (outcome === 'thinned' && isOwn) this.#counts.thinned += 1
    if (!isDrawn(outcome)) return
    this.#counts.drawn += 1
    if (outcome === 'collapsed') this.#counts.collapsed += 1
    if (outcome === 'enlarged') this.#counts.enlarged += 1
  }

  /**
   * For polygons smaller than a cell, and for small rings, draws the cells whose sample points they contain.
   */
  #drawPolygons(rings: Paths): Drawn {
    const grid = this.#grid
    const { shapes } = this.#tools
    switch (grid?.sample(rings, this.#rows)) {
      case 'outline':
        return asEnlarged(shapes.outline(grid.outline))
      case 'rings':
        return asEnlarged(shapes.polygons(grid.rings))
      case 'some':
        return shapes.polygons(grid.rings)
      case 'units':
        return 'waiting'
      case 'nothing':
        return 'thinned'
      default:
        return shapes.polygons(rings)
    }
  }

  /** Draws the rows that had to wait for the others. */
  #drawWaiting(): void {
    const grid = this.#grid
    if (grid?.coverage === undefined) return
    grid.coverage.round()
    this.#waiting.visit(({ row, id, size, isOwn }, batch, index) => {
      const units = grid.outlineOfUnits(row)
      if (units === undefined) {
        this.#count('thinned', isOwn)
        return
      }
      this.#id = id
      this.#size = size
      this.#writeTags = () => this.#attributes.write(batch, index, this.#tools.tags)
      const drawn = asEnlarged(this.#tools.shapes.outline(units))
      this.#count(this.#write(polygonType, drawn, 'outside', row), isOwn)
    })
  }

  /**
   * True if the center of the rings is in the tile, so that each row is counted in exactly one tile of a zoom
   * level.
   */
  #isOwn(rings: Paths): boolean {
    const { minX, minY, maxX, maxY } = boundsOfAll(rings)
    const turn = this.#placer.turn
    const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2]
    return y >= 0 && y < tileExtent && x - Math.floor(x / turn) * turn < tileExtent
  }

  /** Returns the better of two results of drawing a row. */
  #write(type: number, drawn: Drawn, before: Drawn, row = this.#rows): Drawn {
    if (!isDrawn(drawn)) return before === 'outside' ? drawn : before
    const { tags, shapes } = this.#tools
    const id = this.#id
    tags.truncate(0)
    const longTexts = this.#writeTags()
    if (!isDrawn(before)) this.#counts.longTexts += longTexts
    const number = typeof id === 'number' ? id : wholeNumber(id)
    if (typeof id === 'string' && number < 0 && id !== '') this.#attributes.writeId(id, tags)
    const feature = this.#feature
    feature.row = row
    feature.size = this.#size
    feature.id = number
    feature.type = type
    feature.vertices = shapes.vertices
    this.#features.add(feature)
    return before === 'whole' ? before : drawn
  }

  finish(): EncodedTile {
    const counts = this.#counts
    this.#drawWaiting()
    counts.overLimit = this.#features.thin()
    counts.drawn -= counts.overLimit
    const bytes = this.#features.write(this.#options.name, this.#attributes, this.#tools.layer)
    giveToolsBack(this.#tools)
    return { bytes, counts }
  }
}

/** Fitting a polynomial takes longer than placing a few points. */
function isOfPoints({ geometry }: Schema): boolean {
  return geometry?.type === 'Point' || geometry?.type === 'MultiPoint'
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Returns the longer side of a row's envelope, in units of its table. */
function sizeOf({ geometry }: FeatureBatch, row: number): number {
  if (geometry === undefined) return 0
  const { envelopes } = geometry
  const at = row * 4
  const width = (envelopes[at + 2] as number) - (envelopes[at] as number)
  const height = (envelopes[at + 3] as number) - (envelopes[at + 1] as number)
  return Math.max(width, height) || 0
}

/** Parses an integer from 0 to 2^53 - 1 in its shortest form; -1 for any other text. */
function wholeNumber(text: string): number {
  if (text.length === 0 || text.length > 16) return -1
  let value = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9 || (value === 0 && at > 0)) return -1
    value = value * 10 + digit
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1
}
