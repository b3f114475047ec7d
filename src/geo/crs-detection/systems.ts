import type { CrsShape } from '../crs.ts'
import { shapeOfRow } from '../crs-match.ts'
import type { Projector } from '../crs-projector.ts'
import { findProjector } from '../crs-projector.ts'
import type { CrsRow } from '../crs-table.ts'
import { allRows, findArea, findOperations } from '../crs-table.ts'
import type { Country, CountryBox } from './countries.ts'
import { findCountry } from './countries.ts'
import { isListed } from './usage.ts'

/** A CRS that data may be in. */
export interface System {
  row: CrsRow
  shape: CrsShape
  areaName: string
  area: CountryBox
  /** Logarithm of the likelihood relative to others that fit equally well. */
  prior: number
  /** True if it belongs to a family of zones that is usual wherever it is made for. */
  isUsual: boolean
  /** True if some national survey used it before today's datums, and data of many countries are still in it. */
  isFormer: boolean
  /** True if its name is that of a system of former times, for which `priorOf` has a bonus. */
  isKnownFormer: boolean
  /** True if its datum is a satellite datum, within about a metre. */
  isOfToday: boolean
  projector(): Projector | undefined
  /** The country that its area of use belongs to; undefined for areas at sea or in several countries. */
  country(): Country | undefined
}

let all: System[] | undefined

/** The systems of the earth that data are kept in, one of those that mean the same. */
export function systems(): System[] {
  if (all !== undefined) return all
  const found = new Map<string, System>()
  for (const row of allRows()) {
    const system = systemOf(row)
    if (system === undefined) continue
    // Of systems that mean the same each is offered where its country uses it.
    const key = isListed(row) ? row.srs : meaningOf(system)
    const known = found.get(key)
    if (known === undefined || preference(known) < preference(system)) found.set(key, system)
  }
  all = [...found.values()]
  return all
}

function preference({ row, prior }: System): number {
  return prior + (isListed(row) ? 2 : 0)
}

function systemOf(row: CrsRow): System | undefined {
  const isOfEarth = (shape: CrsShape): boolean => Math.abs(shape.semiMajor - 6_375_000) < 20_000
  const isFlat = row.type === 'projected' || row.type === 'geographic 2D'
  if (!isFlat || row.srs.startsWith('IAU')) return undefined
  const shape = shapeOfRow(row)
  const area = findArea(row.area)
  if (shape === undefined || area === undefined || !isOfEarth(shape)) return undefined
  const [west, south, east, north] = area.bounds
  let country: { value: Country | undefined } | undefined
  let projector: { value: Projector | undefined } | undefined
  return {
    row,
    shape,
    areaName: area.name,
    area: [west, south, east < west ? east + 360 : east, north],
    prior: priorOf(row),
    isUsual: usual.test(row.name),
    isFormer: formerNational.test(row.name) && !keptOn.test(row.name),
    isKnownFormer: formerNational.test(row.name),
    isOfToday: isOfToday(row),
    projector: () => {
      projector ??= { value: findProjector(shape) }
      return projector.value
    },
    country: () => {
      country ??= { value: countryOf(area.name) }
      return country.value
    },
  }
}

/** `Austria`, `Netherlands - onshore`, but not `Germany - offshore North Sea` or `Europe - 6°E to 12°E`. */
function countryOf(areaName: string): Country | undefined {
  const [name = ''] = areaName.split(/ - |[;.]/)
  return /offshore|[;.] | and /.test(areaName) ? undefined : findCountry(name.replace(/\(.*?\)/g, ''))
}

function meaningOf({ shape, row }: System): string {
  const { method, parameters, unit, semiMajor, inverseFlattening, primeMeridian, axis } = shape
  const numbers = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([
    method,
    numbers,
    unit,
    semiMajor,
    inverseFlattening,
    primeMeridian,
    axis,
    row.datum,
    row.base,
  ])
}

/** Systems for one line, one tunnel, one project; and other orders of axes, which files do not follow. */
const special =
  /snake|survey grid|tunnel|\((N-E|E-N|zE-N|N-zE|E-zN|W-S)\)|offshore|gas field|construction|emulation|Ferro/i
/** Names of superseded CRSs, even if they differ little from the current ones. */
const former =
  /\b(CSRS96|CORS96|HARN|FBN|NSRS2007|WGS 72|WGS 72BE|SIRGAS 1995|POSGAR 9\d|ITRF92|RT38|Tokyo|Cape)\b|NAD83\(CSRS\)v\d/

/** Families of zones that are the usual ones where they are made for. */
const usual =
  /^(NAD83|SIRGAS 2000|GDA94|GDA2020|WGS 84|ETRS89|MAGNA-SIRGAS|Mexico ITRF2008|JGD2011) \/ (UTM|MGA|MTM|Colombia|Japan)|^NAD83 \/ (?!BLM|UTM|MTM)|^CGCS2000 \/ (3-degree )?Gauss-Kruger( zone|CM)/

/** Continental projections that Esri's programs have for the United States and Canada. */
const continental = /^ESRI:10200[1-4]$/

/** Systems of single counties or districts, made so that lengths are true there: few files are kept in them. */
const county =
  /\b(WISCRS|InGCS|OCRS|IaRCS|KS RCS|RMTCRS|PCCS|BLM|AKLDP|Adj)\b|_Adj_|_WISCRS_|Oregon .* zone \(/i

/**
 * Systems in which national surveys published data before the present datums: many of these data are still in
 * use.
 */
const formerNational =
  /^(?:DHDN \/ 3-degree|NAD27 \/ (?:UTM|[A-Z])|ED50 \/ UTM|Pulkovo 1942(?:\(\d+\))? \/ |Beijing 1954 \/ |Xian 1980 \/ |Tokyo \/ Japan|JGD2000 \/ Japan|Monte Mario \/ Italy|NTF \(Paris\) \/ |SWEREF99 \d|RT90|Amersfoort|OSGB|SAD69 \/ UTM|AGD(?:66|84) \/ |Arc 19[56]0 \/ |MGI \/ Austria|Bogota 1975 \/ |NZGD49|PSAD56)/

/** Former systems whose zones are used all over a continent. */
const keptOn = /^(NAD27|ED50) \//

/**
 * Returns the logarithm of the likelihood of a CRS relative to others that fit equally well. `usageIn` adds
 * the usage of countries.
 */
export function priorOf(row: CrsRow): number {
  let prior = usual.test(row.name) ? 1.5 : 0
  if (row.srs === 'EPSG:4326' || row.srs === 'EPSG:3857') prior += 2.5
  else if (row.srs === 'EPSG:3395') prior += 0.5
  else if (isWorldwide(row)) prior -= 2
  if (row.srs.startsWith('EPSG') || continental.test(row.srs)) prior += 1
  if (row.isDeprecated) prior -= isListed(row) ? 1 : 3
  if (formerNational.test(row.name)) prior += 1.5
  if (special.test(row.name)) prior -= 3
  if (county.test(row.name)) prior -= 2
  if (former.test(row.name)) prior -= 1
  if (isOfToday(row)) prior += 2.5
  if (continental.test(row.srs)) prior += 1
  else if (/^(ESRI:5[34]\d{3}|ESRI:102[04]\d\d)$/.test(row.srs)) prior -= 1
  return prior
}

/** Made for maps of the whole earth, in which few keep their data. */
function isWorldwide({ area }: CrsRow): boolean {
  const [west, south, east, north] = findArea(area)?.bounds ?? [0, 0, 0, 0]
  return east - west >= 350 && north - south >= 80
}

const today = new Map<string, boolean>()

/** True if its datum is a satellite datum, within about a metre. */
function isOfToday({ base, srs, type }: CrsRow): boolean {
  const geographic = type === 'geographic 2D' ? srs : base
  if (geographic === 'EPSG:4326' || geographic === 'EPSG:4490') return true
  const known = today.get(geographic)
  if (known !== undefined) return known
  const operations = findOperations(geographic, 'EPSG:4326') ?? []
  const found = operations.some(({ kind }) => kind === 'null')
  today.set(geographic, found)
  return found
}
