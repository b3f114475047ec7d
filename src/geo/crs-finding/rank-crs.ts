import type { Envelope } from '../envelope.ts'
import type { Box } from './countries.ts'
import { isInCountry } from './countries.ts'
import type { Reading } from './grid-points.ts'
import { boxOf, gridPoints, isInBox } from './grid-points.ts'
import type { Hint } from './hints.ts'
import type { Place } from './place.ts'
import type { System } from './systems.ts'
import { systems } from './systems.ts'

/** A system with where the data would lie in it. */
export interface RankedCrs {
  system: System
  reading: Reading
  /** Where the data would lie: west, south, east, north in degrees. */
  falls: Box
  /** Of the points that were looked at, those within the system's area of use. */
  inArea: number
  /** Of these points, those within a place that was given. */
  inPlace: number
  /** The nearest place that was given, with the kilometres to it. */
  nearest?: { label: string; kilometres: number }
  /** The points that were looked at, in degrees. */
  points: [number, number][]
  /** What in the names and values of the data speaks for it. */
  hints: string[]
  /** Logarithm of how likely. */
  score: number
}

const degrees = 180 / Math.PI
const kilometresPerDegree = 111.2

/** Of data along a coast or a border, corners of their envelope lie outside of the country. */
const enoughInPlace = 0.3

/**
 * Whole states are kept in one zone of a transverse Mercator grid, which goes on beyond its area of use: so many degrees of
 * longitude. It has to be known where the data lie, and it is rarer than data within the area by so much.
 */
const reachOfZones = 12
const outsideCost = 3

const asTheyAre: Reading = { isSwapped: false, factor: 1 }
/** Rarer than numbers as they are meant, each with what that takes off its score. */
const otherReadings: [Reading, number][] = [
  [{ isSwapped: true, factor: 1 }, 5],
  [{ isSwapped: false, factor: 0.001 }, 7],
  [{ isSwapped: false, factor: 0.3048 }, 7],
]

/**
 * Systems in which data lie where they can lie, likeliest first. With places those in which they lie there, or near; what
 * other readings of the numbers give comes with a lower score.
 */
export function rankCrs(
  envelope: Envelope,
  places: readonly Place[] = [],
  hints: readonly Hint[] = [],
): RankedCrs[] {
  const near = places.length === 0 ? systems() : systems().filter(({ area }) => isNear(area, places))
  const reaching = places.length === 0 ? [] : systems().filter((system) => mayReach(system, places))
  const found = [...near, ...reaching].flatMap((system) => rank(system, envelope, asTheyAre, places, 0))
  const others = otherReadings.flatMap(([reading, cost]) =>
    near.flatMap((system) => rank(system, envelope, reading, places, cost)),
  )
  return [...found, ...others].map((one) => withHints(one, hints)).sort((a, b) => b.score - a.score)
}

/** Each kind of hint counts once, however often it is given. */
function withHints(ranked: RankedCrs, hints: readonly Hint[]): RankedCrs {
  const fitting = hints.filter(({ fits }) => fits(ranked.system.row, ranked.points))
  if (fitting.length === 0) return ranked
  const weights = new Set(fitting.map(({ weight }) => weight))
  const bonus = [...weights].reduce((sum, weight) => sum + weight, 0)
  return { ...ranked, hints: fitting.map(({ text }) => text), score: ranked.score + bonus }
}

/** Whether a zone that is made for another place goes on as far as there. */
function mayReach({ area, shape }: System, places: readonly Place[]): boolean {
  const [west, south, east, north] = area
  return (
    shape.method === 'tmerc' &&
    !isNear(area, places) &&
    isNear([west - reachOfZones, south, east + reachOfZones, north], places)
  )
}

function isNear([west, south, east, north]: Box, places: readonly Place[]): boolean {
  return places.some(({ boxes }) =>
    boxes.some(([w, s, e, n]) => {
      const isLevel = s <= north + 1 && n >= south - 1
      return isLevel && [-360, 0, 360].some((turn) => w + turn <= east + 1 && e + turn >= west - 1)
    }),
  )
}

function rank(
  system: System,
  envelope: Envelope,
  reading: Reading,
  places: readonly Place[],
  cost: number,
): RankedCrs[] {
  const isGeographic = system.shape.kind === 'geographic'
  if (isGeographic ? reading.factor !== 1 : isSmall(envelope)) return []
  const projector = system.projector()
  if (projector === undefined) return []
  const points = gridPoints(projector, system.shape.primeMeridian, envelope, reading)
  if (points === undefined) return []
  const inArea = share(points, ([x, y]) => isInBox(x, y, system.area))
  const nearArea = Math.max(inArea, shareNearZone(points, system))
  const isOutside = nearArea < 0.3
  if (isOutside && (places.length === 0 || cost > 0 || system.shape.method !== 'tmerc')) return []
  const inPlace =
    places.length === 0 ? 0 : share(points, ([x, y]) => places.some((place) => isIn(x, y, place)))
  if (isOutside && inPlace === 0) return []
  const falls = boxOf(points)
  const nearest = nearestOf(falls, places)
  const far = nearest === undefined ? 0 : Math.min(12, Math.log1p(nearest.kilometres / 20) * 2)
  const score =
    system.prior -
    cost -
    (isOutside ? outsideCost : 0) +
    4 * nearArea +
    4 * Math.min(1, inPlace / enoughInPlace) -
    far +
    precision(system) +
    fillWeight *
      Math.max(
        fill(falls, system.area),
        ...places.flatMap(({ boxes }) => boxes).map((box) => fill(falls, box)),
      )
  return [
    {
      system,
      reading,
      falls,
      inArea,
      inPlace,
      points,
      hints: [],
      score,
      ...(nearest === undefined ? {} : { nearest }),
    },
  ]
}

/** Data of a region that two zones share are mostly kept in one of them: what lies a little beyond a zone counts in part. */
const sharedDegrees = 2
const sharedWeight = 0.7

function shareNearZone(points: [number, number][], { shape, area }: System): number {
  if (shape.method !== 'tmerc') return 0
  const [west, south, east, north] = area
  const around: Box = [west - sharedDegrees, south, east + sharedDegrees, north]
  const within = share(points, ([x, y]) => isInBox(x, y, area))
  return within + sharedWeight * (share(points, ([x, y]) => isInBox(x, y, around)) - within)
}

/** Data of a whole state or country fill the area that their system is made for. */
const fillWeight = 3

/** The share of two boxes that they have in common: 1 where they are the same. */
function fill(one: Box, other: Box): number {
  const width = Math.min(one[2], other[2]) - Math.max(one[0], other[0])
  const height = Math.min(one[3], other[3]) - Math.max(one[1], other[1])
  if (width <= 0 || height <= 0) return 0
  const size = ([west, south, east, north]: Box): number => (east - west) * (north - south)
  return (width * height) / (size(one) + size(other) - width * height)
}

/** Whether the numbers are those of degrees: in a projected system the data would lie within some metres of its origin. */
function isSmall({ minX, minY, maxX, maxY }: Envelope): boolean {
  return Math.max(Math.abs(minX), Math.abs(maxX), Math.abs(minY), Math.abs(maxY)) <= 360
}

/** A system that is made for a small area says more when data lie in it than one of the whole earth. */
function precision({ area: [west, south, east, north] }: System): number {
  return -Math.log10(Math.max(0.1, (east - west) * (north - south))) / 2
}

function share(points: [number, number][], test: (point: [number, number]) => boolean): number {
  return points.filter(test).length / points.length
}

function isIn(x: number, y: number, { boxes, country }: Place): boolean {
  if (country !== undefined) return isInCountry(country, x, y)
  return boxes.some((box) => isInBox(x, y, box))
}

function nearestOf(falls: Box, places: readonly Place[]): RankedCrs['nearest'] {
  let nearest: RankedCrs['nearest']
  for (const { label, boxes } of places) {
    for (const box of boxes) {
      const kilometres = between(falls, box)
      if (nearest === undefined || kilometres < nearest.kilometres) nearest = { label, kilometres }
    }
  }
  return nearest
}

/** Kilometres from one box to another, about. */
function between(one: Box, other: Box): number {
  const up = gap(one[1], one[3], other[1], other[3])
  const across = Math.min(
    ...[-360, 0, 360].map((turn) => gap(one[0] + turn, one[2] + turn, other[0], other[2])),
  )
  const latitude = (one[1] + one[3]) / 2
  return Math.hypot(up, across * Math.cos(latitude / degrees)) * kilometresPerDegree
}

function gap(from: number, to: number, otherFrom: number, otherTo: number): number {
  return Math.max(0, otherFrom - to, from - otherTo)
}
