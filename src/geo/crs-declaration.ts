import { without } from '../core/values/defined.ts'
import type { CrsDeclaration, CrsShape } from './crs.ts'
import { findMethod, findParameter, normalizeProjection } from './crs-methods.ts'
import { shapeOfProj } from './crs-proj.ts'
import { projJsonToWkt } from './crs-projjson.ts'
import type { WktNode } from './crs-wkt.ts'
import { childNode, children, numberAt, parseCrsWkt, textAt } from './crs-wkt.ts'

const degree = Math.PI / 180

/** Returns the shape of a declaration from any form that it has; undefined if none can be parsed. */
export function declarationShape(declaration: CrsDeclaration): CrsShape | undefined {
  if (declaration.wkt !== undefined) {
    const text = declaration.wkt.trim()
    if (text.startsWith('+') || text.startsWith('PROJCS') === false) {
      const other = text.startsWith('{')
        ? shapeOfProjJson(text)
        : text.startsWith('+')
          ? shapeOfProj(text)
          : undefined
      if (other !== undefined) return other
    }
    const shape = shapeOfWkt(text)
    if (shape !== undefined) return shape
  }
  if (declaration.projjson !== undefined) {
    const shape = shapeOfText(declaration.projjson.trim())
    if (shape !== undefined) return shape
  }
  return declaration.proj4 === undefined ? undefined : shapeOfProj(declaration.proj4)
}

function shapeOfText(text: string): CrsShape | undefined {
  if (text.startsWith('{')) return shapeOfProjJson(text)
  return text.startsWith('+') ? shapeOfProj(text) : shapeOfWkt(text)
}

function shapeOfWkt(text: string): CrsShape | undefined {
  const node = parseCrsWkt(text)
  return node === undefined ? undefined : shapeOfNode(node)
}

function shapeOfProjJson(text: string): CrsShape | undefined {
  const node = projJsonToWkt(text)
  return node === undefined ? undefined : shapeOfNode(node)
}

const geographicKeywords = ['GEOGCS', 'GEOGCRS', 'GEODCRS', 'GEOGRAPHICCRS', 'GEODETICCRS']
const projectedKeywords = ['PROJCS', 'PROJCRS', 'PROJECTEDCRS']
const baseKeywords = ['BASEGEOGCRS', 'BASEGEODCRS', ...geographicKeywords]

function shapeOfNode(node: WktNode): CrsShape | undefined {
  if (node.keyword === 'BOUNDCRS') {
    const inner = childNode(childNode(node, 'SOURCECRS'), ...projectedKeywords, ...geographicKeywords)
    return inner === undefined ? undefined : shapeOfNode(inner)
  }
  if (node.keyword === 'COMPD_CS' || node.keyword === 'COMPOUNDCRS') {
    const inner = childNode(node, ...projectedKeywords, ...geographicKeywords)
    const shape = inner === undefined ? undefined : shapeOfNode(inner)
    const id = idOf(node)
    return shape === undefined || id === undefined ? shape : { ...shape, id }
  }
  if (geographicKeywords.includes(node.keyword)) return geographicShape(node)
  return projectedKeywords.includes(node.keyword) ? projectedShape(node) : undefined
}

/** Returns degrees per angular unit of a geographic node. */
function angleUnit(node: WktNode): number {
  const cs = childNode(node, 'AXIS')
  const unit = childNode(node, 'ANGLEUNIT', 'UNIT') ?? childNode(cs, 'ANGLEUNIT', 'UNIT')
  const radians = numberAt(unit, 1)
  if (radians === undefined) return 1
  const degrees = radians / degree
  return Math.abs(degrees - 1) < 1e-9 ? 1 : degrees
}

function geographicShape(node: WktNode): CrsShape | undefined {
  const datum = childNode(node, 'DATUM', 'ENSEMBLE', 'GEODETICDATUM', 'TRF')
  const ellipsoid = childNode(datum, 'SPHEROID', 'ELLIPSOID')
  const semiMajor = numberAt(ellipsoid, 1)
  if (semiMajor === undefined) return undefined
  const unit = angleUnit(node)
  const meridian = childNode(node, 'PRIMEM')
  // WKT 1 has the meridian in degrees, regardless of the unit of the CRS.
  const meridianUnit = numberAt(childNode(meridian, 'ANGLEUNIT', 'UNIT'), 1)
  const ownUnit = meridianUnit === undefined ? undefined : meridianUnit / degree
  const primeMeridian = (numberAt(meridian, 1) ?? 0) * (ownUnit ?? (node.keyword === 'GEOGCS' ? 1 : unit))
  return {
    kind: 'geographic',
    semiMajor: semiMajor * (numberAt(childNode(ellipsoid, 'LENGTHUNIT', 'UNIT'), 1) ?? 1),
    inverseFlattening: numberAt(ellipsoid, 2) ?? 0,
    primeMeridian,
    method: 'longlat',
    parameters: {},
    unit,
    ...named(node),
    ...datumNamed(textAt(datum, 0)),
  }
}

const openDatum = /^(d_)?(unknown|unnamed|undefined|not[ _]?specified|custom|user[ _]?defined)/i

function datumNamed(name: string | undefined): { datumName?: string } {
  return name === undefined || name === '' || openDatum.test(name) ? {} : { datumName: name }
}

function named(node: WktNode): { name?: string; id?: string } {
  const name = textAt(node, 0)
  const id = idOf(node)
  return { name, id }
}

function idOf(node: WktNode): string | undefined {
  const id = childNode(node, 'AUTHORITY', 'ID')
  const authority = textAt(id, 0)
  const code = textAt(id, 1)
  return authority === undefined || code === undefined ? undefined : `${authority.toUpperCase()}:${code}`
}

function projectedShape(node: WktNode): CrsShape | undefined {
  const baseNode = childNode(node, ...baseKeywords)
  const base = baseNode === undefined ? undefined : geographicShape(baseNode)
  if (baseNode === undefined || base === undefined) return undefined
  const conversion = childNode(node, 'CONVERSION') ?? node
  const methodName = textAt(childNode(conversion, 'PROJECTION', 'METHOD'), 0)
  const lengthUnit =
    childNode(node, 'LENGTHUNIT', 'UNIT') ?? childNode(childNode(node, 'AXIS'), 'LENGTHUNIT', 'UNIT')
  const unit = numberAt(lengthUnit, 1) ?? 1
  const given: Record<string, number> = {}
  for (const parameter of children(conversion, 'PARAMETER')) {
    const key = findParameter(textAt(parameter, 0) ?? '')
    const value = numberAt(parameter, 1)
    if (key !== undefined && value !== undefined)
      given[key] = value * factorOf(parameter, key, base.unit, unit)
  }
  const method =
    methodName === undefined ? undefined : isWebMercator(node) ? 'webmerc' : findMethod(methodName)
  const projection = method === undefined ? { method, parameters: given } : normalizeProjection(method, given)
  const datum = without(base, 'id', 'name')
  const axis = /south.orientated/i.test(methodName ?? '') ? { axis: 'wsu' } : {}
  return { ...datum, kind: 'projected', unit, ...projection, ...named(node), ...axis }
}

/**
 * True for the projection of web maps, for which WKT 1 has no name: GDAL adds the PROJ string, other programs
 * only a name.
 */
function isWebMercator(node: WktNode): boolean {
  const extension = textAt(childNode(node, 'EXTENSION'), 1) ?? ''
  const method = textAt(childNode(node, 'PROJECTION'), 0) ?? ''
  if (extension.includes('+proj=merc') && extension.includes('+nadgrids=@null')) return true
  return /^mercator(_1sp)?$/i.test(method) && /pseudo.?mercator/i.test(textAt(node, 0) ?? '')
}

function factorOf(parameter: WktNode, key: string, angle: number, length: number): number {
  if (key === 'k_0') return 1
  const isLength = key === 'x_0' || key === 'y_0'
  const own = numberAt(childNode(parameter, 'LENGTHUNIT', 'ANGLEUNIT', 'UNIT'), 1)
  if (own === undefined) return isLength ? length : angle
  if (isLength) return own
  return Math.abs(own / degree - 1) < 1e-9 ? 1 : own / degree
}
