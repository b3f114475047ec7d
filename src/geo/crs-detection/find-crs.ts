import type { CrsDeclaration } from '../crs.ts'
import type { CrsCandidate } from '../crs-candidates.ts'
import { crsCandidates, declaredCandidates } from '../crs-candidates.ts'
import type { Envelope } from '../envelope.ts'
import { findCompatible, intersectDeclared } from './compatible.ts'
import type { CountryBox } from './countries.ts'
import { countryAt } from './countries.ts'
import type { ExpectedArea } from './expected-area.ts'
import type { CrsClues, Hint } from './hints.ts'
import { findHints } from './hints.ts'
import type { RankedCrs } from './rank-crs.ts'
import { rankCrs } from './rank-crs.ts'

/** Evidence about data without a CRS. */
export interface CrsEvidence {
  declaration?: CrsDeclaration
  /** Envelope of the data, in the coordinates of the file. */
  envelope?: Envelope
  /** Areas where the data are expected. */
  places: readonly ExpectedArea[]
  /** Names of the data, and values of their columns. */
  clues?: CrsClues
}

/** A CRS with where the data would lie in it. */
export interface EvaluatedCrs extends CrsCandidate {
  /** West, south, east, north in degrees. */
  falls?: CountryBox
  /** Other systems in which the data would lie within a metre of there. */
  alike?: string[]
}

/** Result of the search for the location of data. */
export interface CrsAnswer {
  candidates: EvaluatedCrs[]
  /** The numbers fit systems all over the earth: only a place can tell which. */
  needsPlace: boolean
}

const maxCandidates = 10
/** Systems that lie this close together on the earth are one answer to where the data are. */
const samePlaceDegrees = 1
/** About a metre. */
const alikeDegrees = 1e-5

/**
 * The systems that data without one may be in, likeliest first; none where nothing but a place could tell. A definition that
 * the data declare and that has no code stands first, and only systems that are compatible with it follow.
 */
export function findCrsFor({ declaration, envelope, places, clues }: CrsEvidence): CrsAnswer {
  const declared = declaredCandidates(declaration)
  const bounds = envelope !== undefined && envelope.minX <= envelope.maxX ? envelope : undefined
  if (declaration !== undefined && declared.length > 0)
    return { candidates: withCompatible(declaration, declared, bounds), needsPlace: false }
  if (bounds === undefined) return { candidates: [], needsPlace: false }
  const hints = clues === undefined ? [] : findHints(clues)
  if (places.length === 0) return withoutPlace(bounds, hints)
  const candidates = toCandidates(rankCrs(bounds, places, hints).slice(0, maxCompared))
  return { candidates, needsPlace: candidates.length === 0 }
}

const maxCompared = 40
/** Factor for evidence from names alone, which is less certain than a given location. */
const trustInNames = 0.6

/** By a code or a place that names and values of the data tell; otherwise only what fits one part of the earth alone. */
function withoutPlace(envelope: Envelope, hints: readonly Hint[]): CrsAnswer {
  const degrees = crsCandidates(undefined, envelope)
  if (degrees.length > 0) return { candidates: degrees, needsPlace: false }
  const reported = hints.flatMap(({ text, boxes }) =>
    boxes === undefined ? [] : [{ label: `what is ${text}`, boxes: [...boxes] }],
  )
  const coded = hints.filter(({ isCode }) => isCode === true)
  const byPlace = reported.length === 0 ? [] : rankCrs(envelope, reported, hints).filter(isReported)
  const byCode = coded.length === 0 ? [] : rankCrs(envelope, [], coded).filter(isReported)
  const named = [...byCode, ...byPlace].slice(0, maxCompared)
  if (named.length > 0) {
    const candidates = toCandidates(named)
    const trusted = candidates.map((one) => ({ ...one, confidence: round(one.confidence * trustInNames, 3) }))
    return { candidates: trusted, needsPlace: false }
  }
  const fits = rankCrs(envelope).filter(({ inArea, reading }) => inArea > 0.9 && isPlain(reading))
  const [first] = fits
  const isOnePlace = first !== undefined && fits.every((one) => isNear(one.falls, first.falls))
  return { candidates: isOnePlace ? toCandidates(fits) : [], needsPlace: !isOnePlace }
}

/** The definition with where the data lie in it, then systems that say nearly the same. */
function withCompatible(
  declaration: CrsDeclaration,
  [first, ...fitting]: CrsCandidate[],
  envelope: Envelope | undefined,
): EvaluatedCrs[] {
  if (first === undefined) return []
  if (envelope === undefined) return [first, ...fitting]
  const falls = intersectDeclared(declaration, envelope)
  const near = findCompatible(declaration, envelope).map(
    ({ system: { row }, metres, falls: box }): EvaluatedCrs => {
      const { srs, name } = row
      const confidence = round(0.5 / (1 + metres / 10), 3)
      const evidence = `Puts the data within ${Math.max(1, Math.ceil(metres))} m of where the declared definition does`
      return { srs, name, confidence, evidence, falls: box }
    },
  )
  const others = fitting.filter(({ srs }) => !near.some((one) => one.srs === srs))
  const codes = [...near, ...others].sort((a, b) => b.confidence - a.confidence)
  return [{ ...first, falls }, ...codes].slice(0, maxCandidates)
}

/** True if names or values of the data support it, and its numbers need no correction. */
function isReported({ hints, reading }: RankedCrs): boolean {
  return hints.length > 0 && isPlain(reading)
}

function isPlain({ isSwapped, factor }: RankedCrs['reading']): boolean {
  return !isSwapped && factor === 1
}

function isNear(one: CountryBox, other: CountryBox): boolean {
  return one.every((value, at) => Math.abs(value - (other[at] ?? 0)) < samePlaceDegrees)
}

/** Those that lie within a metre of a better one are named with it. */
function toCandidates(ranked: RankedCrs[]): EvaluatedCrs[] {
  const groups: { first: RankedCrs; alike: string[] }[] = []
  for (const one of ranked) {
    const group = groups.find(({ first }) => isAlike(first, one))
    if (group === undefined) groups.push({ first: one, alike: [] })
    else group.alike.push(one.system.row.srs)
  }
  const weights = groups.map(({ first }) => Math.exp(first.score - (groups[0]?.first.score ?? 0)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return groups
    .slice(0, maxCandidates)
    .map(({ first, alike }, at) => ({
      srs: first.system.row.srs,
      name: first.system.row.name,
      confidence: round(Math.min(0.95, (weights[at] ?? 0) / sum), 3),
      evidence: evidenceOf(first),
      falls: first.falls,
      alike: alike.length === 0 ? undefined : alike,
    }))
}

/** True if both have present datums, so that no shift between them is ignored. */
function isAlike(one: RankedCrs, other: RankedCrs): boolean {
  const isSameWay =
    one.reading.isSwapped === other.reading.isSwapped && one.reading.factor === other.reading.factor
  if (!isSameWay || !one.system.isOfToday || !other.system.isOfToday) return false
  return one.falls.every((value, at) => Math.abs(value - (other.falls[at] ?? 0)) < alikeDegrees)
}

const maxHints = 2

function evidenceOf({ falls, nearest, reading, system, inArea, hints }: RankedCrs): string {
  const [west, south, east, north] = falls
  const country = countryAt((west + east) / 2, (south + north) / 2)
  const sentences = [
    `The data would lie ${country === undefined ? 'at sea' : `in ${country.name}`}, ${range(west, east, 'E', 'W')}, ${range(south, north, 'N', 'S')}`,
    ...(nearest === undefined ? [] : [distance(nearest)]),
    `${fitText(inArea)}: ${system.areaName}`,
    ...hints.slice(0, maxHints),
    ...(reading.isSwapped ? ['Only if the axes are swapped: northing or latitude comes first'] : []),
    ...(reading.factor === 0.001
      ? ['Only if the coordinates are in millimetres and are divided by 1000']
      : []),
    ...(reading.factor === 0.3048
      ? ['Only if the coordinates are in feet and are multiplied by 0.3048']
      : []),
  ]
  return sentences.join('. ')
}

function fitText(inArea: number): string {
  if (inArea === 1) return 'Made for'
  return inArea === 0 ? 'Outside the area of use of the CRS' : 'Partly outside the area of use of the CRS'
}

function distance({ label, kilometres }: { label: string; kilometres: number }): string {
  if (kilometres < 0.1) return `They touch ${label}`
  const shown = kilometres < 10 ? kilometres.toFixed(1) : kilometres.toFixed(0)
  return `${shown} km from ${label}`
}

function range(from: number, to: number, plus: string, minus: string): string {
  const show = (value: number): string =>
    `${Math.abs(value).toFixed(Math.abs(to - from) < 0.1 ? 3 : 1)}° ${value < 0 ? minus : plus}`
  return show(from) === show(to) ? show(from) : `${show(from)} to ${show(to)}`
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
