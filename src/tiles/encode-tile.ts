import type { FeatureBatch } from '../geo/batch.ts'
import { isValid } from '../geo/column.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import { linearWkb } from '../geo/curves/curve-wkb.ts'
import type { Envelope } from '../geo/envelope.ts'
import { reprojectGeometry } from '../geo/reproject-geometry.ts'
import type { Reprojector } from '../geo/reprojector.ts'
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
import { tileExtent } from './tile-units.ts'
import { WaitingRows } from './waiting-rows.ts'

/** What is to be encoded. */
export interface TileEncoderOptions {
  /** Of the layer in the tile. */
  name: string
  /** Of the rows: names of attributes, beside which an id that is no number finds a name of its own. */
  schema: Schema
  set: TileMatrixSet
  tile: TileAddress
  /** What the coordinates are in; default: the CRS of the set. */
  crs?: CrsDeclaration | string
  /** From there to the CRS of the set; not needed where they are the same. */
  reprojector?: Reprojector
  /** Where the rows of the tile are, in their CRS: there paths are placed by what is as good as the way to the tile's CRS. */
  boxes?: readonly Envelope[]
  /** Cells by which polygons are sampled, as of `areaCellOf`; undefined where all are drawn. */
  areaCell?: number | undefined
  limits?: Partial<TileLimits>
}

/** What became of the rows that were read for a tile. */
export interface TileCounts {
  read: number
  drawn: number
  /** Left out by the rules of thinning. */
  thinned: number
  /** Left out since a vertex has no image in the tile's CRS. */
  withoutImage: number
  /** Of those drawn: as the smallest shape there is, since a unit of the tile cannot show more. */
  collapsed: number
  /** Of those drawn: polygons in the shape of cells, since they stand for others there. */
  enlarged: number
  /** Left out since their geometry cannot be read or drawn in a valid way. */
  invalid: number
  /** Left out since the tile has as many features, vertices or bytes as it may: the smallest, of equals the later ones. */
  overLimit: number
  /** Texts of features that were left out, since there would be too much of them in one feature. */
  longTexts: number
}

/** One layer of a vector tile: several of them one after the other are a tile of several layers. */
interface EncodedTile {
  /** Empty where nothing is drawn. */
  bytes: Uint8Array
  counts: TileCounts
}

/** Rows, and what identifies them: texts, or whole numbers that a tile can hold. */
interface RowPage {
  batch: FeatureBatch
  ids: readonly string[] | Float64Array
}

/** Takes rows in their order and makes a layer of a tile of them. The same rows give the same bytes. */
export interface TileEncoder {
  /** Rows of a page, absent: all. A promise only where the way to the tile's CRS is a program's. */
  add(page: RowPage, rows?: Uint32Array): void | Promise<void>
  /** Some rows of a row file, from one place to another; not where the way to the tile's CRS is a program's. */
  addNear(rows: NearRows, from: number, to: number, shown: ShownCells): void
  finish(): EncodedTile
}

/** The counts of a tile for which nothing was read. */
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

/** Begins a layer of a tile. */
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
  /** Of the row that is drawn. */
  #id: string | number = 0
  #size = 0
  /** Gives the number of its texts that are too long. */
  #writeTags: () => number = () => 0
  readonly #feature: TileFeature
  readonly #attributes: AttributeTable
  readonly #features: TileFeatures
  /** Set where pages have to be transformed by a program before they are placed. */
  readonly #program: Reprojector | undefined
  /** By which polygons are sampled. */
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

  /** False, and counted, where there is nothing to draw. */
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

  /** False where the bytes are no geometry. */
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

  /** Curves, the other byte order, PostGIS's flags. */
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

  /** Of polygons smaller than a cell, and of small rings, the cells are drawn whose sample points they hold. */
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

  /** Whether the middle of the rings lies in the tile: each row is counted in one tile of a zoom. */
  #isOwn(rings: Paths): boolean {
    const { minX, minY, maxX, maxY } = boundsOfAll(rings)
    const turn = this.#placer.turn
    const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2]
    return y >= 0 && y < tileExtent && x - Math.floor(x / turn) * turn < tileExtent
  }

  /** Gives the better of what became of the row before and now. */
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

/** To find what is as good takes longer than to place a few points. */
function isOfPoints({ geometry }: Schema): boolean {
  return geometry?.type === 'Point' || geometry?.type === 'MultiPoint'
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** The longer side of a row's envelope, in units of its table. */
function sizeOf({ geometry }: FeatureBatch, row: number): number {
  if (geometry === undefined) return 0
  const { envelopes } = geometry
  const at = row * 4
  const width = (envelopes[at + 2] as number) - (envelopes[at] as number)
  const height = (envelopes[at + 3] as number) - (envelopes[at + 1] as number)
  return Math.max(width, height) || 0
}

/** A whole number from 0 to 2^53 - 1 in its shortest form; -1 for any other text. */
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
