import { shapeOfRow } from '../crs-match.ts'
import type { Projector } from '../crs-projector.ts'
import { findProjector } from '../crs-projector.ts'
import type { CrsShape } from '../crs-shape.ts'
import type { CrsRow } from '../crs-table.ts'
import { allRows, findArea, findOperations } from '../crs-table.ts'
import type { Box } from './countries.ts'

/** A CRS that data may be in. */
export interface System {
  row: CrsRow
  shape: CrsShape
  areaName: string
  area: Box
  /** How much likelier than another one that fits as well: a logarithm. */
  prior: number
  /** Whether its datum is that of satellites, within a metre or so. */
  isOfToday: boolean
  projector(): Projector | undefined
}

let all: System[] | undefined

/** The systems of the earth that data are kept in, one of those that mean the same. */
export function systems(): System[] {
  if (all !== undefined) return all
  const found = new Map<string, System>()
  for (const row of allRows()) {
    const system = systemOf(row)
    if (system === undefined) continue
    const key = meaningOf(system)
    const known = found.get(key)
    if (known === undefined || known.prior < system.prior) found.set(key, system)
  }
  all = [...found.values()]
  return all
}

function systemOf(row: CrsRow): System | undefined {
  const isOfEarth = (shape: CrsShape): boolean => Math.abs(shape.semiMajor - 6_375_000) < 20_000
  const isFlat = row.type === 'projected' || row.type === 'geographic 2D'
  if (!isFlat || row.srs.startsWith('IAU')) return undefined
  const shape = shapeOfRow(row)
  const area = findArea(row.area)
  if (shape === undefined || area === undefined || !isOfEarth(shape)) return undefined
  const [west, south, east, north] = area.bounds
  let projector: { value: Projector | undefined } | undefined
  return {
    row,
    shape,
    areaName: area.name,
    area: [west, south, east < west ? east + 360 : east, north],
    prior: priorOf(row),
    isOfToday: isOfToday(row),
    projector: () => {
      projector ??= { value: findProjector(shape) }
      return projector.value
    },
  }
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
/** Of former times, although they differ from today's by little. */
const former =
  /\b(CSRS96|CORS96|HARN|FBN|NSRS2007|WGS 72|WGS 72BE|SIRGAS 1995|POSGAR 9\d|ITRF92|RT38|Tokyo|Cape)\b|NAD83\(CSRS\)v\d/

/** What national surveys give their data in, and mosts maps of their countries are kept in. */
const national = new Set(
  (
    'EPSG:25828 EPSG:25829 EPSG:25830 EPSG:25831 EPSG:25832 EPSG:25833 EPSG:25834 EPSG:25835 EPSG:31467 EPSG:31468 ' +
    'EPSG:2056 EPSG:21781 EPSG:31287 EPSG:31254 EPSG:31255 EPSG:31256 EPSG:31370 EPSG:3812 EPSG:28992 EPSG:2154 ' +
    'EPSG:27572 EPSG:27700 EPSG:2157 EPSG:29902 EPSG:3763 EPSG:3003 EPSG:3004 EPSG:6706 EPSG:3006 EPSG:3021 EPSG:3067 ' +
    'EPSG:3301 EPSG:3059 EPSG:3346 EPSG:2180 EPSG:2176 EPSG:2177 EPSG:2178 EPSG:2179 EPSG:5514 EPSG:23700 EPSG:3844 ' +
    'EPSG:7801 EPSG:2100 EPSG:3765 EPSG:3794 EPSG:5253 EPSG:5254 EPSG:5255 EPSG:5256 EPSG:5257 EPSG:5258 EPSG:2039 ' +
    'EPSG:21036 EPSG:21037 EPSG:26191 EPSG:22992 EPSG:2193 EPSG:3112 EPSG:3577 EPSG:5186 EPSG:5179 EPSG:3826 EPSG:2326 ' +
    'EPSG:3414 EPSG:3405 EPSG:3406 EPSG:5880 EPSG:5367 EPSG:6372 EPSG:3116 EPSG:5070 EPSG:3338 EPSG:3347 EPSG:3005 ' +
    'EPSG:32198 EPSG:3400 EPSG:3979 EPSG:3035 EPSG:3034 EPSG:30491 EPSG:20437 EPSG:28355 EPSG:28356 EPSG:7855 EPSG:7856'
  ).split(' '),
)

/** Families of zones that are the usual ones where they are made for. */
const usual =
  /^(NAD83|SIRGAS 2000|GDA94|GDA2020|WGS 84|MAGNA-SIRGAS|Mexico ITRF2008|JGD2011) \/ (UTM|MGA|Colombia|Japan)/

/** What national surveys gave their data in before today's datums: much of it is still about. */
const formerNational =
  /^(?:DHDN \/ 3-degree|NAD27 \/ (?:UTM|[A-Z])|ED50 \/ UTM|Pulkovo 1942(?:\(\d+\))? \/ |Beijing 1954 \/ |Xian 1980 \/ |Tokyo \/ Japan|JGD2000 \/ Japan|Monte Mario \/ Italy|NTF \(Paris\) \/ |SWEREF99 \d|RT90|Amersfoort|OSGB|SAD69 \/ UTM|AGD(?:66|84) \/ |Arc 19[56]0 \/ |MGI \/ Austria|Bogota 1975 \/ |NZGD49|PSAD56)/

/** How much likelier a CRS is than another one that fits as well: a logarithm. */
export function priorOf(row: CrsRow): number {
  let prior = national.has(row.srs) ? 2 : usual.test(row.name) ? 1.5 : 0
  if (row.srs === 'EPSG:4326' || row.srs === 'EPSG:3857') prior += 2.5
  else if (row.srs === 'EPSG:3395') prior += 0.5
  else if (isWorldwide(row)) prior -= 2
  if (row.srs.startsWith('EPSG')) prior += 1
  if (row.isDeprecated) prior -= 3
  if (formerNational.test(row.name)) prior += 1.5
  if (special.test(row.name)) prior -= 3
  if (former.test(row.name)) prior -= 1
  if (isOfToday(row)) prior += 2.5
  if (/^(ESRI:5[34]\d{3}|ESRI:102[04]\d\d)$/.test(row.srs)) prior -= 1
  return prior
}

/** Made for maps of the whole earth, in which few keep their data. */
function isWorldwide({ area }: CrsRow): boolean {
  const [west, south, east, north] = findArea(area)?.bounds ?? [0, 0, 0, 0]
  return east - west >= 350 && north - south >= 80
}

const today = new Map<string, boolean>()

/** Whether its datum is that of satellites, within a metre or so. */
function isOfToday({ base, srs, type }: CrsRow): boolean {
  const geographic = type === 'geographic 2D' ? srs : base
  if (geographic === 'EPSG:4326') return true
  const known = today.get(geographic)
  if (known !== undefined) return known
  const operations = findOperations(geographic, 'EPSG:4326') ?? []
  const found = operations.some(({ kind }) => kind === 'null')
  today.set(geographic, found)
  return found
}
