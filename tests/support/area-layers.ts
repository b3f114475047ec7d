import { seededRandom } from '../../bench/random.ts'

type Ring = [number, number][]

/** A polygon with its class. */
interface AreaFeature {
  kind: number
  rings: Ring[]
}

/** Extent of the layers, in degrees. */
export const areaBounds = { west: 7, south: 46, east: 11, north: 49 }
export const areaKinds = ['parcels', 'land cover', 'buildings', 'islands'] as const
export type AreaKind = (typeof areaKinds)[number]
/** Classes of land cover, from 0 on. */
const classes = 4

const { west, south, east, north } = areaBounds

/** Returns polygons of a kind of layer, about `count` of them; the same ones each time. */
export function areaFeatures(kind: AreaKind, count: number): AreaFeature[] {
  const random = seededRandom(areaKinds.indexOf(kind) + 11)
  switch (kind) {
    case 'parcels':
      return parcels(count, random)
    case 'land cover':
      return landCover(count, random)
    case 'buildings':
      return buildings(count, random)
    case 'islands':
      return islands(count, random)
  }
}

/** Squares in rows and columns with paths between them: 96 % of the ground. */
function parcels(count: number, random: () => number): AreaFeature[] {
  const columns = Math.ceil(Math.sqrt((count * (east - west)) / (north - south)))
  const step = (east - west) / columns
  const rows = Math.floor((north - south) / step)
  const side = step * Math.sqrt(0.96)
  return Array.from({ length: rows * columns }, (_, at) => {
    const [x, y] = [west + (at % columns) * step, south + Math.floor(at / columns) * step]
    return { kind: Math.floor(random() ** 2 * classes), rings: [box(x, y, x + side, y + side)] }
  })
}

/** Areas of all sizes without a gap, many of them in holes of others. */
function landCover(count: number, random: () => number): AreaFeature[] {
  const features: AreaFeature[] = []
  const least = Math.sqrt(((east - west) * (north - south)) / count) / 2
  const divide = (x0: number, y0: number, x1: number, y1: number): void => {
    const size = Math.max(x1 - x0, y1 - y0)
    if (size > least && (size > 0.5 || random() < 0.9)) {
      const at = 0.3 + random() * 0.4
      if (x1 - x0 > y1 - y0) {
        const middle = x0 + (x1 - x0) * at
        divide(x0, y0, middle, y1)
        divide(middle, y0, x1, y1)
      } else {
        const middle = y0 + (y1 - y0) * at
        divide(x0, y0, x1, middle)
        divide(x0, middle, x1, y1)
      }
      return
    }
    const area: AreaFeature = { kind: Math.floor(random() ** 2 * classes), rings: [box(x0, y0, x1, y1)] }
    features.push(area)
    const across = Math.floor(Math.min(x1 - x0, y1 - y0) / least)
    for (let column = 0; column < across; column += 1) {
      for (let row = 0; row < across; row += 1) {
        if (random() < 0.4) continue
        const [stepX, stepY] = [(x1 - x0) / across, (y1 - y0) / across]
        const [x, y] = [x0 + (column + 0.1) * stepX, y0 + (row + 0.1) * stepY]
        const hole = box(x, y, x + stepX * (0.2 + random() * 0.6), y + stepY * (0.2 + random() * 0.6))
        area.rings.push(hole)
        features.push({ kind: Math.floor(random() * classes), rings: [hole] })
      }
    }
  }
  divide(west, south, east, north)
  return features
}

/** Small rectangles in towns of all sizes, some alone. */
function buildings(count: number, random: () => number): AreaFeature[] {
  const towns = Array.from({ length: 60 }, () => ({
    x: west + 0.2 + random() * (east - west - 0.4),
    y: south + 0.2 + random() * (north - south - 0.4),
    radius: 0.01 + random() ** 3 * 0.12,
  }))
  return Array.from({ length: count }, (_, at) => {
    const town = towns[Math.floor(random() * towns.length)]
    const isAlone = town === undefined || at % 10 === 0
    const [angle, far] = [random() * 2 * Math.PI, Math.sqrt(random())]
    const x = isAlone ? west + random() * (east - west) : town.x + Math.cos(angle) * far * town.radius
    const y = isAlone ? south + random() * (north - south) : town.y + Math.sin(angle) * far * town.radius
    const [half, other, turn] = [0.00006 + random() * 0.0002, 0.00004 + random() * 0.00012, random() * 3]
    const corner = (along: number, across: number): [number, number] => [
      x + (along * half * Math.cos(turn) - across * other * Math.sin(turn)) * 1.5,
      y + along * half * Math.sin(turn) + across * other * Math.cos(turn),
    ]
    const ring = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)]
    return { kind: Math.floor(random() * classes), rings: [ring] }
  })
}

/** Creates islands of all sizes; the larger ones contain a lake. */
function islands(count: number, random: () => number): AreaFeature[] {
  const columns = Math.ceil(Math.sqrt((count * (east - west)) / (north - south)))
  const step = (east - west) / columns
  const rows = Math.floor((north - south) / step)
  return Array.from({ length: rows * columns }, (_, at) => {
    const x = west + ((at % columns) + 0.5) * step
    const y = south + (Math.floor(at / columns) + 0.5) * step
    const radius = step * 0.45 * Math.min(1, 0.08 / Math.sqrt(random() + 0.005))
    const coast: Ring = Array.from({ length: 12 }, (__, corner) => {
      const [angle, far] = [(corner / 12) * 2 * Math.PI, radius * (0.6 + random() * 0.4)]
      return [x + far * Math.cos(angle), y + far * Math.sin(angle)]
    })
    const lake = box(x - radius / 4, y - radius / 4, x + radius / 4, y + radius / 4)
    const isLarge = radius > step * 0.2
    return { kind: 0, rings: [[...coast, coast[0] as [number, number]], ...(isLarge ? [lake] : [])] }
  })
}

function box(x0: number, y0: number, x1: number, y1: number): Ring {
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
    [x0, y0],
  ]
}
