import { canDecode } from './decode-block.ts'
import type { TiffImage, TiffLayout } from './tiff-images.ts'

/** Half the circumference of the sphere of EPSG:3857, and the width of zoom level 0 in cells. */
export const mercatorHalf = 20037508.342789244
export const tileCells = 256

/** A level of a raster, aligned to the cells of a zoom level of Web Mercator. */
export interface PyramidLevel {
  zoom: number
  /** Column and row of its upper left cell among the cells of the whole zoom. */
  column: number
  row: number
  image: TiffImage
  mask: TiffImage | undefined
}

/** A raster aligned to the cells of Web Mercator, the finest level first. */
export interface TiffPyramid {
  levels: PyramidLevel[]
  noData: string | undefined
}

const webMercator = new Set([3857, 900913, 3785, 102100, 102113])
/** Maximum length of the coarsest level in cells, which determines the cost of a tile of zoom level 0. */
const maxCoarseCells = 2048
/** Tolerance of positions as a share of a cell. */
const tolerance = 0.02

export function cellSize(zoom: number): number {
  return (2 * mercatorHalf) / (tileCells * 2 ** zoom)
}

function nearInteger(value: number): number | undefined {
  const rounded = Math.round(value)
  return Math.abs(value - rounded) <= tolerance ? rounded : undefined
}

/** Returns the level of a reduced image of the raster; undefined if it is not aligned to the cells. */
function toLevel({ images, masks, place }: TiffLayout, image: TiffImage): PyramidLevel | undefined {
  const [full] = images
  if (full === undefined || place === undefined) return undefined
  const factor = 2 ** Math.round(Math.log2(full.width / image.width))
  const isExact =
    Math.ceil(full.width / factor) === image.width && Math.ceil(full.height / factor) === image.height
  if (!isExact) return undefined
  const size = place.cellWidth * factor
  const zoom = nearInteger(Math.log2(cellSize(0) / size))
  if (zoom === undefined || zoom < 0 || Math.abs(cellSize(zoom) / size - 1) > 1e-6) return undefined
  const column = nearInteger((place.x + mercatorHalf) / size)
  const row = nearInteger((mercatorHalf - place.y) / size)
  if (column === undefined || row === undefined) return undefined
  const mask = masks.find(({ width, height }) => width === image.width && height === image.height)
  return { zoom, column, row, image, mask }
}

/**
 * Returns the levels of a TIFF aligned to the cells of Web Mercator, such as a COG in the tiling scheme
 * GoogleMapsCompatible; undefined if it is not aligned, has an unsupported encoding, or has no small level.
 */
export function findPyramid(layout: TiffLayout): TiffPyramid | undefined {
  const { images, place, noData } = layout
  if (place === undefined || place.epsg === undefined || !webMercator.has(place.epsg)) return undefined
  if (Math.abs(place.cellWidth - place.cellHeight) > place.cellWidth * 1e-6) return undefined
  const levels = images.flatMap((image) => toLevel(layout, image) ?? [])
  const [finest] = levels
  if (finest === undefined || finest.image !== images[0]) return undefined
  const isReadable = levels.every(
    ({ image, mask }) => canDecode(image) && (mask === undefined || canDecode(mask)),
  )
  const coarsest = levels.at(-1) ?? finest
  const isSmall = Math.max(coarsest.image.width, coarsest.image.height) <= maxCoarseCells
  if (!isReadable || !isSmall) return undefined
  return { levels: levels.toSorted((a, b) => b.zoom - a.zoom), noData }
}
