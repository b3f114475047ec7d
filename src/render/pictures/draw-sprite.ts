import { marks } from '../../styles/worker.ts'
import { loadSharp } from './load-sharp.ts'

/** Position of an icon in the image of a sprite, in MapLibre's format. */
interface SpriteIcon {
  x: number
  y: number
  width: number
  height: number
  pixelRatio: number
  /** The alpha channel is a signed distance field, so that the icon can be drawn in any colour and size. */
  sdf: true
}

/** Icons in one image. */
export interface Sprite {
  png: Uint8Array
  icons: Record<string, SpriteIcon>
}

/** Sizes of an icon, and of the mark in it, before `pixelRatio`. */
const cell = 32
const mark = 20
const columns = 6
/** Factor by which the shape is drawn larger than the icon to measure distances. */
const finer = 4
/**
 * Distance in pixels on either side of the edge that is encoded; alpha 192 is the edge (as in MapLibre's own
 * glyphs).
 */
const reach = 8
const edge = 0.25

/**
 * Returns for each pixel the squared distance to the nearest pixel inside the shape, or outside of it;
 * computed in two passes, by rows and by columns.
 */
function squaredDistances(inside: Uint8Array, side: number, requested: 0 | 1): Float64Array {
  const far = side * side * 4
  const columnsDone = new Float64Array(side * side)
  for (let x = 0; x < side; x += 1) {
    for (let y = 0, since = far; y < side; y += 1) {
      since = inside[y * side + x] === requested ? 0 : since + 1
      columnsDone[y * side + x] = since
    }
    for (let y = side - 1, since = far; y >= 0; y -= 1) {
      since = inside[y * side + x] === requested ? 0 : since + 1
      columnsDone[y * side + x] = Math.min(columnsDone[y * side + x] ?? far, since)
    }
  }
  const most = reach * finer * 2
  const squares = new Float64Array(side * side)
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      let best = far
      for (let at = Math.max(0, x - most); at < Math.min(side, x + most + 1); at += 1) {
        const down = columnsDone[y * side + at] ?? far
        best = Math.min(best, (x - at) ** 2 + down ** 2)
      }
      squares[y * side + x] = best
    }
  }
  return squares
}

/** Returns the alpha channel of an icon: the distance of each pixel from the edge of the mark. */
async function distanceField(d: string, ratio: number): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const icon = cell * ratio
  const side = icon * finer
  const scale = mark * ratio * finer
  const path = `<path d="${d}" fill-rule="evenodd" transform="translate(${side / 2} ${side / 2}) scale(${scale})"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${path}</svg>`
  const alpha = await sharp(Buffer.from(svg)).ensureAlpha().extractChannel(3).raw().toBuffer()
  const inside = Uint8Array.from(alpha, (value) => (value >= 128 ? 1 : 0))
  const out = squaredDistances(inside, side, 1)
  const within = squaredDistances(inside, side, 0)
  return Uint8Array.from({ length: icon * icon }, (_, index) => {
    const y = Math.floor(index / icon) * finer + (finer >> 1)
    const x = (index % icon) * finer + (finer >> 1)
    const at = y * side + x
    const distance = (Math.sqrt(out[at] ?? 0) - Math.sqrt(within[at] ?? 0)) / finer
    return Math.max(0, Math.min(255, Math.round(255 * (1 - (distance / (reach * ratio) + edge)))))
  })
}

/**
 * Draws every mark as an icon with configurable colours (`icon-color` and `icon-halo-color` of MapLibre), by
 * the name of the mark.
 */
export async function drawSprite(ratio: 1 | 2): Promise<Sprite> {
  const sharp = await loadSharp()
  const names = Object.entries(marks)
  const icon = cell * ratio
  const [width, height] = [icon * columns, icon * Math.ceil(names.length / columns)]
  const picture = new Uint8Array(width * height * 4)
  const icons: Record<string, SpriteIcon> = {}
  for (const [index, [name, d]] of names.entries()) {
    const field = await distanceField(d, ratio)
    const [x, y] = [(index % columns) * icon, Math.floor(index / columns) * icon]
    for (const [at, alpha] of field.entries()) {
      picture[((y + Math.floor(at / icon)) * width + x + (at % icon)) * 4 + 3] = alpha
    }
    icons[name] = { x, y, width: icon, height: icon, pixelRatio: ratio, sdf: true }
  }
  const png = await sharp(picture, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
  return { png, icons }
}
