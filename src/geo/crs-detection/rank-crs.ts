import type { Envelope } from '../envelope.ts'
import { peopleAround } from './cities.ts'
import type { CountryBox } from './countries.ts'
import { countryAt, isInCountry } from './countries.ts'
import type { ExpectedArea } from './expected-area.ts'
import { regionBoxes } from './expected-area.ts'
import type { Reading } from './grid-points.ts'
import { gridPoints, isPointInBox, pointsBox } from './grid-points.ts'
import type { Hint } from './hints.ts'
import { outlineShare, shared, sizeOf } from './outline-extent.ts'
import type { System } from './systems.ts'
import { systems } from './systems.ts'
import { isListed, usageIn } from './usage.ts'

/** A system with where the data would lie in it. */
export interface RankedCrs {
  system: System
  reading: Reading
  /** Location of the data: west, south, east, north in degrees. */
  falls: CountryBox
  /** Number of checked points within the system's area of use. */
  inArea: number
  /** Number of these points inside the given place. */
  inPlace: number
  /** The nearest place that was given, with the kilometres to it. */
  nearest?: { label: string; kilometres: number }
  /** The checked points, in degrees. */
  points: [number, number][]
  /** Names and values of the data that support it. */
  hints: string[]
  /** Logarithm of how likely. */
  score: number
}

const degrees = 180 / Math.PI
const kilometresPerDegree = 111.2
const metresPerDegree = 111_200

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

/** Evidence with which the data are compared. */
interface Search {
  envelope: Envelope
  places: readonly ExpectedArea[]
  /** Those of all places that lie in no other. */
  boxes: readonly CountryBox[]
  /** States and provinces in or near the places. */
  regions: readonly CountryBox[]
}

/**
 * Systems in which data lie where they can lie, likeliest first. With places those in which they lie there, or near; what
 * other readings of the numbers give comes with a lower score.
 */
export function rankCrs(
  envelope: Envelope,
  places: readonly ExpectedArea[] = [],
  hints: readonly Hint[] = [],
): RankedCrs[] {
  const boxes = outermost(places.flatMap((place) => place.boxes))
  const regions = boxes.length === 0 ? [] : regionBoxes().filter((box) => isNear(box, boxes))
  const search: Search = { envelope, places, boxes, regions }
  const found: RankedCrs[] = []
  const add = (system: System, reading: Reading, cost: number): void => {
    if (!mayLie(system, envelope, reading, boxes.length > 0)) return
    const ranked = rank(system, search, reading, cost)
    if (ranked !== undefined) found.push(withHints(ranked, hints))
  }
  const nearAreas = new Map<number, boolean>()
  for (const system of systems()) {
    const { row, area } = system
    const isNearby = boxes.length === 0 || (nearAreas.get(row.area) ?? isNear(area, boxes))
    nearAreas.set(row.area, isNearby)
    if (isNearby) {
      add(system, asTheyAre, 0)
      for (const [reading, cost] of otherReadings) add(system, reading, cost)
    } else if (mayReach(system, boxes)) add(system, asTheyAre, 0)
  }
  return found.sort((a, b) => b.score - a.score)
}

/** The boxes that lie in no other, the largest first: of a country with hundreds of islands some ten. */
function outermost(boxes: readonly CountryBox[]): CountryBox[] {
  const kept: CountryBox[] = []
  for (const box of boxes.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    const isInside = kept.some(
      ([west, south, east, north]) => box[0] >= west && box[1] >= south && box[2] <= east && box[3] <= north,
    )
    if (!isInside) kept.push(box)
  }
  return kept
}

/** Degrees by which data may lie beside an area of use. */
const marginDegrees = 2

/**
 * Returns false if the middle of the data lies so far from a system's area of use that no part of them can lie in it or in
 * what it reaches. One point is cheaper than the nine that `rank` takes to the earth.
 */
function mayLie(system: System, envelope: Envelope, reading: Reading, hasPlace: boolean): boolean {
  const { shape, area } = system
  const isGeographic = shape.kind === 'geographic'
  if (isGeographic ? reading.factor !== 1 : isSmall(envelope)) return false
  const projector = system.projector()
  if (projector === undefined) return false
  const { minX, minY, maxX, maxY } = envelope
  const x = ((minX + maxX) / 2) * reading.factor
  const y = ((minY + maxY) / 2) * reading.factor
  const place = reading.isSwapped ? { x: y, y: x } : { x, y }
  projector.toRadians(place)
  const longitude = place.x * degrees + shape.primeMeridian
  const latitude = place.y * degrees
  if (!(Number.isFinite(longitude) && Math.abs(latitude) <= 91)) return false
  const metres = isGeographic ? metresPerDegree : reading.factor
  const half = (Math.max(maxX - minX, maxY - minY) * shape.unit * metres) / metresPerDegree
  const [west, south, east, north] = area
  if (latitude < south - half - marginDegrees || latitude > north + half + marginDegrees) return false
  const reach = hasPlace && shape.method === 'tmerc' ? reachOfZones : 0
  const wide = (half + marginDegrees) / Math.max(0.1, Math.cos(latitude / degrees)) + reach
  return [-360, 0, 360].some((turn) => longitude + turn >= west - wide && longitude + turn <= east + wide)
}

/** Each kind of hint counts once, however often it is given. */
function withHints(ranked: RankedCrs, hints: readonly Hint[]): RankedCrs {
  const fitting = hints.filter(({ fits }) => fits(ranked.system.row, ranked.points))
  if (fitting.length === 0) return ranked
  const weights = new Set(fitting.map(({ weight }) => weight))
  const bonus = [...weights].reduce((sum, weight) => sum + weight, 0)
  return { ...ranked, hints: fitting.map(({ text }) => text), score: ranked.score + bonus }
}

/** True if a zone made for another area may be used there. */
function mayReach({ area, shape }: System, boxes: readonly CountryBox[]): boolean {
  const [west, south, east, north] = area
  return shape.method === 'tmerc' && isNear([west - reachOfZones, south, east + reachOfZones, north], boxes)
}

function isNear(area: CountryBox, boxes: readonly CountryBox[]): boolean {
  return boxes.some((box) => areBeside(area, box))
}

/** Within a degree, by whatever turn of the earth. */
function areBeside([west, south, east, north]: CountryBox, [w, s, e, n]: CountryBox): boolean {
  if (s > north + 1 || n < south - 1) return false
  if (w <= east + 1 && e >= west - 1) return true
  return (w + 360 <= east + 1 && e + 360 >= west - 1) || (w - 360 <= east + 1 && e - 360 >= west - 1)
}

function rank(system: System, search: Search, reading: Reading, cost: number): RankedCrs | undefined {
  const { envelope, places, boxes, regions } = search
  const projector = system.projector()
  if (projector === undefined) return undefined
  const points = gridPoints(projector, system.shape.primeMeridian, envelope, reading)
  if (points === undefined) return undefined
  const inArea = share(points, ([x, y]) => isPointInBox(x, y, system.area))
  const zoneShare = Math.max(inArea, shareNearZone(points, system))
  const isOutside = zoneShare < 0.3
  const mayBeOutside = system.shape.method === 'tmerc' || inArea > 0
  if (isOutside && (places.length === 0 || cost > 0 || !mayBeOutside)) return undefined
  const inPlace =
    places.length === 0 ? 0 : share(points, ([x, y]) => places.some((place) => isIn(x, y, place)))
  if (isOutside && inPlace === 0) return undefined
  const isAbroad =
    !(inPlace > 0 && places.some(({ country }) => country === system.country())) &&
    isOfOtherCountry(points, system)
  const nearArea = isAbroad ? zoneShare * abroadShare : zoneShare
  const falls = pointsBox(points)
  const nearest = nearestOf(falls, places)
  const far = nearest === undefined ? 0 : Math.min(12, Math.log1p(nearest.kilometres / 20) * 2)
  const country = places.find((place) => place.country !== undefined)?.country
  const outline =
    country === undefined || system.shape.kind === 'geographic' || reading !== asTheyAre
      ? 0
      : outlineShare(envelope, falls, country, { projector, primeMeridian: system.shape.primeMeridian })
  const score =
    system.prior -
    cost -
    (isOutside ? outsideCost : 0) +
    4 * nearArea +
    4 * Math.min(1, inPlace / enoughInPlace) -
    far +
    precision(system) +
    extent(falls, [system.area, ...boxes, ...regions], outline) +
    attraction(falls) +
    usage(system, falls, places)
  return { system, reading, falls, inArea, inPlace, points, hints: [], score, nearest }
}

/** Weight of the part of an area of use beyond the border of its country. */
const abroadShare = 0.3
/** Degrees by which data of a country lie beyond its border. */
const beyondBorder = 0.3

/**
 * True if a system is made for one country, and the data would be beyond its border although within its
 * area's box.
 */
function isOfOtherCountry(points: [number, number][], system: System): boolean {
  const country = system.country()
  const [x, y] = points[middle] ?? [Number.NaN, Number.NaN]
  if (country === undefined || isInCountry(country, x, y)) return false
  const steps = [0, -beyondBorder, beyondBorder]
  const isBeside = steps.some((across) => steps.some((up) => isInCountry(country, x + across, y + up)))
  return !isBeside && !points.some(([east, north]) => isInCountry(country, east, north))
}

/** The middle of the nine points of an envelope. */
const middle = 4

/** Data of a whole state or country fill the area that their system is made for, or that of the state. */
function extent(falls: CountryBox, boxes: readonly CountryBox[], least: number): number {
  let most = least
  for (const box of boxes) most = Math.max(most, shared(falls, box))
  return fillWeight * most + exactWeight * Math.max(0, (most - nearlyFull) / (1 - nearlyFull))
}

/** More data are made where more people live: a logarithm of the people in and around the data, by their area. */
function attraction(falls: CountryBox): number {
  const people = peopleAround(falls)
  if (people === undefined) return peopleWeight * Math.log(usualPeople)
  const [west, south, east, north] = falls
  const size = (east - west) * (north - south) * Math.cos(((south + north) / 2) * (Math.PI / 180))
  return peopleWeight * Math.log(1 + people / (1 + size) / fewPeople)
}

const peopleWeight = 0.7
/** Thousands: fewer are like none. */
const fewPeople = 30
const usualPeople = 5

/**
 * Returns the usage weight in the country at the middle of the data, reduced for former systems of other
 * countries.
 */
function usage(
  { row, isUsual, isOfToday, isFormer, isKnownFormer }: System,
  falls: CountryBox,
  places: readonly ExpectedArea[],
): number {
  if (!isFormer && !isListed(row)) return 0
  const [west, south, east, north] = falls
  const named = places.find(({ country }) => country !== undefined)?.country
  const country = named ?? countryAt((west + east) / 2, (south + north) / 2)
  const bonus = usageIn(country, row)
  if (bonus === undefined) return 0
  if (bonus === 0) return isFormer ? -formerElsewhereCost : 0
  if (isUsual) return bonus / 2
  if (isOfToday) return bonus
  return bonus + (isKnownFormer ? listedFormerBonus : listedOtherBonus)
}

const formerElsewhereCost = 1.5
/** Systems that a country is known to use are less rare than others of datums that are not today's. */
const listedFormerBonus = 0.7
/** For those that `priorOf` does not know by their names. */
const listedOtherBonus = 2.2

/** Data of a region that two zones share are mostly kept in one of them: what lies a little beyond a zone counts in part. */
const sharedDegrees = 2
const sharedWeight = 0.7

function shareNearZone(points: [number, number][], { shape, area }: System): number {
  if (shape.method !== 'tmerc') return 0
  const [west, south, east, north] = area
  const around: CountryBox = [west - sharedDegrees, south, east + sharedDegrees, north]
  const within = share(points, ([x, y]) => isPointInBox(x, y, area))
  return within + sharedWeight * (share(points, ([x, y]) => isPointInBox(x, y, around)) - within)
}

const fillWeight = 3
/** Hardly by chance do data have the very extent of a state. */
const exactWeight = 5
const nearlyFull = 0.85

/**
 * True if the numbers are degrees: in a projected system the data would be within some metres of its origin.
 */
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

function isIn(x: number, y: number, { boxes, country }: ExpectedArea): boolean {
  if (country !== undefined) return isInCountry(country, x, y)
  return boxes.some((box) => isPointInBox(x, y, box))
}

function nearestOf(falls: CountryBox, places: readonly ExpectedArea[]): RankedCrs['nearest'] {
  let nearest: RankedCrs['nearest']
  for (const { label, boxes } of places) {
    for (const box of boxes) {
      const kilometres = between(falls, box)
      if (nearest === undefined || kilometres < nearest.kilometres) nearest = { label, kilometres }
      if (kilometres === 0) return nearest
    }
  }
  return nearest
}

/** Kilometres from one box to another, about. */
function between(one: CountryBox, other: CountryBox): number {
  const up = gap(one[1], one[3], other[1], other[3])
  let across = gap(one[0], one[2], other[0], other[2])
  if (across > 0) {
    across = Math.min(across, gap(one[0] + 360, one[2] + 360, other[0], other[2]))
    across = Math.min(across, gap(one[0] - 360, one[2] - 360, other[0], other[2]))
  }
  if (up === 0 && across === 0) return 0
  const latitude = (one[1] + one[3]) / 2
  return Math.hypot(up, across * Math.cos(latitude / degrees)) * kilometresPerDegree
}

function gap(from: number, to: number, otherFrom: number, otherTo: number): number {
  return Math.max(0, otherFrom - to, from - otherTo)
}
