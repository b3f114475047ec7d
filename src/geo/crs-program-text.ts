import { ownValue } from '../core/values/record-keys.ts'
import type { CrsDeclaration } from './crs.ts'
import { findCrs, matchCrs, parseSrs } from './crs-database.ts'

const maxWktLength = 8000

/** Names that the programs accept in addition to codes. */
const wellKnown: Record<string, string> = { WGS84: 'EPSG:4326', NAD83: 'EPSG:4269', NAD27: 'EPSG:4267' }

/** Parameters of a PROJ string that name neither a file nor another definition. */
const projParameters = new Set(
  (
    'proj datum ellps a b rf f es R lat_0 lat_1 lat_2 lat_ts lon_0 lon_1 lon_2 lonc alpha gamma k k_0 x_0 y_0 ' +
    'zone south units to_meter vunits vto_meter towgs84 pm axis h sweep no_uoff no_off no_defs type wktext over'
  ).split(' '),
)

/** Keywords of WKT 1 and WKT 2; `EXTENSION` and `PARAMETERFILE`, which can name files, are not among them. */
const wktKeywords = new Set(
  (
    'PROJCS GEOGCS GEOCCS DATUM SPHEROID PRIMEM UNIT PROJECTION PARAMETER AXIS AUTHORITY TOWGS84 ' +
    'COMPD_CS VERT_CS VERT_DATUM LOCAL_CS LOCAL_DATUM ' +
    'ENGCRS ENGINEERINGCRS EDATUM ENGINEERINGDATUM ' +
    'PROJCRS PROJECTEDCRS GEOGCRS GEOGRAPHICCRS GEODCRS GEODETICCRS COMPOUNDCRS VERTCRS VERTICALCRS ' +
    'BASEGEOGCRS BASEGEODCRS GEODETICDATUM TRF VDATUM VERTICALDATUM VRF ENSEMBLE MEMBER ENSEMBLEACCURACY ' +
    'DYNAMIC FRAMEEPOCH ELLIPSOID PRIMEMERIDIAN CONVERSION METHOD CS ORDER MERIDIAN ANGLEUNIT LENGTHUNIT ' +
    'SCALEUNIT ID CITATION URI USAGE SCOPE AREA BBOX VERTICALEXTENT REMARK ANCHOR ' +
    'BOUNDCRS SOURCECRS TARGETCRS ABRIDGEDTRANSFORMATION'
  ).split(' '),
)
const wktRoots =
  /^(?:PROJCS|GEOGCS|GEOCCS|COMPD_CS|PROJCRS|PROJECTEDCRS|GEOGCRS|GEOGRAPHICCRS|GEODCRS|GEODETICCRS|COMPOUNDCRS|BOUNDCRS|LOCAL_CS|ENGCRS|ENGINEERINGCRS)\[/

function isSafeWkt(text: string): boolean {
  // A name with "=" stays: it may contain a PROJ string.
  const bare = text.replace(/"[^"=]*"/g, '')
  const isWhole = bare.split('[').length === bare.split(']').length && bare.endsWith(']')
  if (!isWhole || !/^[\w\s[\],.+-]*$/.test(bare)) return false
  return [...bare.matchAll(/(\w+)\s*\[/g)].every(([, keyword]) => wktKeywords.has(keyword as string))
}

function isSafeProj(text: string): boolean {
  const words = text.split(/\s+/)
  const isPlain = words.every((word) => {
    const [, name, value = ''] = /^\+(\w+)(?:=([\w.,+-]*))?$/.exec(word) ?? []
    return name !== undefined && projParameters.has(name) && !value.includes('..')
  })
  return isPlain && /^\+proj=\w+/.test(text) && text.length <= 1000
}

/**
 * Returns a CRS in a form that is safe to pass to the programs: a known authority code, WKT, or a PROJ
 * string; WKT that could name a file is replaced by its matching code. Undefined for other texts, since the
 * programs take an unknown text for a file name or an address, and WKT and PROJ strings can name grid files.
 */
export function toProgramCrs(text: string): string | undefined {
  const trimmed = text.trim()
  const named = ownValue(wellKnown, trimmed.toUpperCase())
  if (named !== undefined) return named
  if (trimmed.startsWith('+')) return isSafeProj(trimmed) ? trimmed : undefined
  const srs = parseSrs(trimmed)
  if (srs !== undefined) return findCrs(srs)?.srs
  if (trimmed.length > maxWktLength || !wktRoots.test(trimmed)) return undefined
  return isSafeWkt(trimmed) ? trimmed : matchCrs({ wkt: trimmed })
}

/** True if PROJJSON names no file: texts contain no PROJ strings, and parameter values are numbers. */
function isSafeProjJson(text: string): boolean {
  let isSafe = text.length <= maxProjJsonLength
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (typeof value === 'string' && (key === 'value' || value.includes('='))) isSafe = false
      return value
    })
  } catch {
    return false
  }
  return isSafe
}

const maxProjJsonLength = 32_000

/**
 * Returns the definition of a declared CRS in a form that is safe to pass to GDAL's programs (see
 * `toProgramCrs`): preferably a code of the CRS table. Undefined if no form is safe.
 */
export function programText({ srs, wkt, projjson, proj4 }: CrsDeclaration): string | undefined {
  const code = srs === undefined ? undefined : findCrs(srs)?.srs
  if (code !== undefined) return code
  for (const text of [wkt, projjson, proj4].map((one) => one?.trim())) {
    if (text === undefined) continue
    if (text.startsWith('{') ? isSafeProjJson(text) : toProgramCrs(text) !== undefined)
      return text.startsWith('{') ? text : toProgramCrs(text)
  }
  return undefined
}

/** Returns the authority code of a result of `toProgramCrs`; undefined if none matches. */
export function authorityCode(text: string): string | undefined {
  if (text.startsWith('+')) return matchCrs({ proj4: text })
  return findCrs(text)?.srs ?? matchCrs({ wkt: text })
}
