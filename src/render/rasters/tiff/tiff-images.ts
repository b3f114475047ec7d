import type { FileHandle } from 'node:fs/promises'
import type { TiffFields } from './tiff-fields.ts'
import { TiffDirectories } from './tiff-fields.ts'

/** Sample format. */
type SampleKind = 'uint' | 'int' | 'float'

/** One image of a TIFF in blocks: the raster, a reduced copy of it, or a mask of either. */
export interface TiffImage {
  width: number
  height: number
  blockWidth: number
  blockHeight: number
  /** Samples of a cell, alpha included. */
  samples: number
  bits: number
  kind: SampleKind
  compression: number
  predictor: number
  /** Each band has its own blocks. */
  isPlanar: boolean
  photometric: number
  /** Meaning of samples after the colours: 1 is premultiplied alpha, 2 is alpha. */
  extraSamples: readonly number[]
  /** Red, green and blue of each value of a palette, from 0 to 65535. */
  colorMap: readonly number[] | undefined
  jpegTables: readonly number[] | undefined
  /** Offset and length of each block; 0 if the block is omitted. */
  offsets: readonly number[]
  lengths: readonly number[]
  isMask: boolean
  isLittle: boolean
}

/** Georeference of a raster, from its GeoTIFF fields. */
interface TiffPlace {
  /** Upper left corner, in units of the CRS. */
  x: number
  y: number
  cellWidth: number
  cellHeight: number
  /** EPSG code of a projected CRS. */
  epsg: number | undefined
}

/** A TIFF whose blocks can be read. */
export interface TiffLayout {
  /** The raster first, then its reduced copies. */
  images: TiffImage[]
  /** Masks, of the raster and of reduced copies. */
  masks: TiffImage[]
  place: TiffPlace | undefined
  /** Value of cells without data, as text. */
  noData: string | undefined
}

const tag = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripLengths: 279,
  planar: 284,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileLengths: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  pixelScale: 33550,
  tiePoints: 33922,
  geoKeys: 34735,
  noData: 42113,
}
const requestedTags = new Set(Object.values(tag))
/** GeoTIFF key (OGC 19-008r4) with the code of a projected CRS. */
const projectedKey = 3072
const kinds: readonly (SampleKind | undefined)[] = [undefined, 'uint', 'int', 'float', 'uint']

function numbersOf(fields: TiffFields, one: number): readonly number[] {
  const value = fields.get(one)
  return value === undefined || typeof value === 'string' ? [] : value
}

function toImage(fields: TiffFields, isLittle: boolean): TiffImage | undefined {
  const first = (one: number, fallback: number): number => numbersOf(fields, one)[0] ?? fallback
  const width = first(tag.width, 0)
  const height = first(tag.height, 0)
  const isTiled = fields.has(tag.tileOffsets)
  const blockWidth = isTiled ? first(tag.tileWidth, 0) : width
  const blockHeight = isTiled ? first(tag.tileHeight, 0) : Math.min(first(tag.rowsPerStrip, height), height)
  const kind = kinds[first(tag.sampleFormat, 1)]
  const bits = numbersOf(fields, tag.bits)
  const isEven = bits.every((one) => one === bits[0])
  if (width <= 0 || height <= 0 || blockWidth <= 0 || blockHeight <= 0 || kind === undefined || !isEven)
    return undefined
  return {
    width,
    height,
    blockWidth,
    blockHeight,
    kind,
    isLittle,
    samples: first(tag.samples, 1),
    bits: bits[0] ?? 1,
    compression: first(tag.compression, 1),
    predictor: first(tag.predictor, 1),
    isPlanar: first(tag.planar, 1) === 2,
    photometric: first(tag.photometric, 1),
    extraSamples: numbersOf(fields, tag.extraSamples),
    colorMap: fields.has(tag.colorMap) ? numbersOf(fields, tag.colorMap) : undefined,
    jpegTables: fields.has(tag.jpegTables) ? numbersOf(fields, tag.jpegTables) : undefined,
    offsets: numbersOf(fields, isTiled ? tag.tileOffsets : tag.stripOffsets),
    lengths: numbersOf(fields, isTiled ? tag.tileLengths : tag.stripLengths),
    isMask: (first(tag.subfile, 0) & 4) !== 0,
  }
}

function placeOf(fields: TiffFields): TiffPlace | undefined {
  const [cellWidth, cellHeight] = numbersOf(fields, tag.pixelScale)
  const [column, row, , x, y, , ...more] = numbersOf(fields, tag.tiePoints)
  if (cellWidth === undefined || cellHeight === undefined || x === undefined || y === undefined)
    return undefined
  if (column !== 0 || row !== 0 || more.length > 0) return undefined
  const keys = numbersOf(fields, tag.geoKeys)
  const at = keys.findIndex((key, index) => index % 4 === 0 && index > 0 && key === projectedKey)
  return { x, y, cellWidth, cellHeight, epsg: at < 0 ? undefined : keys[at + 3] }
}

/** Reads the images of an open TIFF; throws if the file is not a TIFF or its directories are damaged. */
export async function readTiffLayout(file: FileHandle): Promise<TiffLayout> {
  const directories = await TiffDirectories.open(file, requestedTags)
  const read = await directories.read()
  const all = read.flatMap((fields) => toImage(fields, directories.isLittle) ?? [])
  const [first] = read
  const images = all.filter(({ isMask }) => !isMask)
  if (first === undefined || images.length === 0) throw new Error('The TIFF has no image that can be read')
  const noData = first.get(tag.noData)
  return {
    images,
    masks: all.filter(({ isMask }) => isMask),
    place: placeOf(first),
    noData: typeof noData === 'string' ? noData : undefined,
  }
}
