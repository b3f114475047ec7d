import { ownValue } from '../core/values/record-keys.ts'
import type { WktNode } from './crs-wkt.ts'

interface Json {
  [key: string]: unknown
}

const keywords: Record<string, string> = {
  GeographicCRS: 'GEOGCRS',
  GeodeticCRS: 'GEODCRS',
  ProjectedCRS: 'PROJCRS',
  CompoundCRS: 'COMPOUNDCRS',
  BoundCRS: 'BOUNDCRS',
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, 100) : []
}

function name(value: Json): string {
  return typeof value.name === 'string' ? value.name : ''
}

/**
 * Converts PROJJSON (https://proj.org/schemas/v0.7/projjson.schema.json) to the WKT 2 tree of the same CRS,
 * so that one reader handles both; undefined if the text is not PROJJSON.
 */
export function projJsonToWkt(text: string): WktNode | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  return isObject(parsed) ? crsNode(parsed, 0) : undefined
}

function crsNode(json: Json, depth: number): WktNode | undefined {
  const keyword = ownValue(keywords, String(json.type))
  if (keyword === undefined || depth > 5) return undefined
  const node: WktNode = { keyword, values: [name(json), ...idNode(json)] }
  if (keyword === 'COMPOUNDCRS') {
    for (const part of list(json.components)) push(node, crsNode(part, depth + 1))
  } else if (keyword === 'BOUNDCRS') {
    const source = isObject(json.source_crs) ? crsNode(json.source_crs, depth + 1) : undefined
    node.values.push({ keyword: 'SOURCECRS', values: source === undefined ? [] : [source] })
  } else if (keyword === 'PROJCRS') {
    push(
      node,
      isObject(json.base_crs) ? crsNode({ type: 'GeographicCRS', ...json.base_crs }, depth + 1) : undefined,
    )
    push(node, isObject(json.conversion) ? conversionNode(json.conversion) : undefined)
    push(node, axisUnit(json, 'LENGTHUNIT'))
  } else {
    push(node, datumNode(json))
    push(node, meridianNode(json))
    push(node, axisUnit(json, 'ANGLEUNIT'))
  }
  return node
}

function push(node: WktNode, part: WktNode | undefined): void {
  if (part !== undefined) node.values.push(part)
}

function idNode(json: Json): WktNode[] {
  const id = json.id
  if (!isObject(id)) return []
  return [{ keyword: 'ID', values: [String(id.authority), String(id.code)] }]
}

/** Reads a number, or `{value, unit}` whose unit is a factor. */
function measure(value: unknown): { value: number; unit: unknown } | undefined {
  if (typeof value === 'number') return { value, unit: undefined }
  if (isObject(value) && typeof value.value === 'number') return { value: value.value, unit: value.unit }
  return undefined
}

const unitFactors: Record<string, number> = { metre: 1, degree: Math.PI / 180, unity: 1 }

function unitNode(unit: unknown, keyword: string): WktNode | undefined {
  if (typeof unit === 'string') {
    const factor = ownValue(unitFactors, unit)
    return factor === undefined ? undefined : { keyword, values: [unit, factor] }
  }
  if (!isObject(unit) || typeof unit.conversion_factor !== 'number') return undefined
  return { keyword, values: [name(unit), unit.conversion_factor] }
}

function axisUnit(json: Json, keyword: string): WktNode | undefined {
  const system = json.coordinate_system
  return isObject(system) ? unitNode(list(system.axis)[0]?.unit, keyword) : undefined
}

function datumNode(json: Json): WktNode | undefined {
  const datum = isObject(json.datum) ? json.datum : json.datum_ensemble
  if (!isObject(datum) || !isObject(datum.ellipsoid)) return undefined
  const ellipsoid = datum.ellipsoid
  const a = measure(ellipsoid.semi_major_axis) ?? measure(ellipsoid.radius)
  if (a === undefined) return undefined
  const b = measure(ellipsoid.semi_minor_axis)
  const inverse =
    measure(ellipsoid.inverse_flattening)?.value ??
    (b === undefined || b.value === a.value ? 0 : a.value / (a.value - b.value))
  const spheroid: WktNode = { keyword: 'ELLIPSOID', values: [name(ellipsoid), a.value, inverse] }
  push(spheroid, unitNode(a.unit, 'LENGTHUNIT'))
  return { keyword: 'DATUM', values: [name(datum), spheroid] }
}

function meridianNode(json: Json): WktNode | undefined {
  const datum = json.datum
  const meridian = isObject(datum) ? datum.prime_meridian : undefined
  if (!isObject(meridian)) return undefined
  const longitude = measure(meridian.longitude)
  if (longitude === undefined) return undefined
  const node: WktNode = { keyword: 'PRIMEM', values: [name(meridian), longitude.value] }
  push(node, unitNode(longitude.unit ?? 'degree', 'ANGLEUNIT'))
  return node
}

function conversionNode(json: Json): WktNode {
  const method = isObject(json.method) ? name(json.method) : ''
  const node: WktNode = {
    keyword: 'CONVERSION',
    values: [name(json), { keyword: 'METHOD', values: [method] }],
  }
  for (const parameter of list(json.parameters)) {
    const value = parameter.value
    if (typeof value !== 'number') continue
    const unit = unitNode(parameter.unit, parameter.unit === 'metre' ? 'LENGTHUNIT' : 'ANGLEUNIT')
    node.values.push({
      keyword: 'PARAMETER',
      values: [name(parameter), value, ...(unit === undefined ? [] : [unit])],
    })
  }
  return node
}
