import sharp from 'sharp'

/** Number of grid cells of a picture, in each direction. */
const cells = 16

interface Pixels {
  width: number
  height: number
  /** Four bytes a pixel. */
  rgba: Uint8Array
}

async function readPixels(picture: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

/** The share of pixels, 0 to 1, that are nearer to a colour than to white, in each cell of a grid, row by row. */
export async function colouredShares(picture: Uint8Array, colour: string): Promise<number[]> {
  const { width, height, rgba } = await readPixels(picture)
  const [red = 0, green = 0, blue = 0] = Buffer.from(colour.slice(1), 'hex')
  const counts = new Float64Array(cells * cells)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4
      const distance = (r: number, g: number, b: number): number =>
        Math.hypot((rgba[at] ?? 0) - r, (rgba[at + 1] ?? 0) - g, (rgba[at + 2] ?? 0) - b)
      if (distance(255, 255, 255) <= distance(red, green, blue)) continue
      const cell = Math.floor((y * cells) / height) * cells + Math.floor((x * cells) / width)
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  const pixelsOfCell = (width * height) / (cells * cells)
  return Array.from(counts, (count) => count / pixelsOfCell)
}

/** Cells whose shares differ by more than a tolerance: `row 3 column 4: 0.20 is not 0.55`. */
export function differentCells(actual: number[], expected: number[], tolerance: number): string[] {
  return actual.flatMap((share, at) => {
    const selected = expected[at] ?? 0
    if (Math.abs(share - selected) <= tolerance) return []
    const place = `row ${Math.floor(at / cells)} column ${at % cells}`
    return [`${place}: ${share.toFixed(2)} is not ${selected.toFixed(2)}`]
  })
}

/** The mean red, green and blue of each cell, 0 to 255, on a white ground. */
export async function meanColours(picture: Uint8Array): Promise<number[][]> {
  const ground = sharp(picture).flatten({ background: '#ffffff' })
  const { data } = await ground
    .resize(cells, cells, { kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Array.from({ length: cells * cells }, (_, at) => [...data.subarray(at * 3, at * 3 + 3)])
}

/** Cells whose mean colours differ by more than a twelfth of what there is between black and white. */
export function differentColours(actual: number[][], expected: number[][]): string[] {
  return actual.flatMap((colour, at) => {
    const selected = expected[at] ?? []
    const isNear = colour.every((value, band) => Math.abs(value - (selected[band] ?? 0)) <= 255 / 12)
    return isNear ? [] : [`row ${Math.floor(at / cells)} column ${at % cells}: ${colour} is not ${selected}`]
  })
}
