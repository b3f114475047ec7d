import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryType } from '../../geo/schema.ts'
import { geometryTypeCode } from '../../geo/wkb.ts'
import type { Making } from './assemble-row.ts'
import type { NativeEncoding } from './geo-metadata.ts'
import type { ParquetNode } from './parquet-file.ts'

/** A coordinate by the names of its ordinates, lists of them, or null. */
export type NativeValue = number | null | NativeValue[] | { [name: string]: NativeValue }

/** Collects coordinates from the columns of a native encoding (GeoParquet 1.1, "Native encodings"). */
export const nativeValues: Making<NativeValue> = {
  leaf: ({ source, node }) =>
    node.element.type === 'DOUBLE' ? source.view.getFloat64(source.start, true) : null,
  nothing: null,
  list: (items) => items,
  struct: (names, items) => Object.fromEntries(names.map((name, index) => [name, items[index] ?? null])),
}

interface NativeForm {
  type: GeometryType
  /** Type of one part, if the geometry has parts. */
  part?: GeometryType
  depth: number
}

const forms: Record<NativeEncoding, NativeForm> = {
  point: { type: 'Point', depth: 0 },
  linestring: { type: 'LineString', depth: 1 },
  polygon: { type: 'Polygon', depth: 2 },
  multipoint: { type: 'MultiPoint', part: 'Point', depth: 1 },
  multilinestring: { type: 'MultiLineString', part: 'LineString', depth: 2 },
  multipolygon: { type: 'MultiPolygon', part: 'Polygon', depth: 3 },
}

/** Returns the geometry type of a native encoding, and its dimensions by the names of the ordinates. */
export function nativeShape(encoding: NativeEncoding, node: ParquetNode) {
  const names = ordinateNames(node)
  return { type: forms[encoding].type, hasZ: names.has('z'), hasM: names.has('m') }
}

function ordinateNames(node: ParquetNode): Set<string> {
  if (node.children.length === 0) return new Set([node.name])
  return new Set(node.children.flatMap((child) => [...ordinateNames(child)]))
}

/** Appends geometries; throws `GeometryError` for invalid coordinates. */
export class NativeWriter {
  readonly #form: NativeForm
  readonly #hasZ: boolean
  readonly #hasM: boolean

  constructor(encoding: NativeEncoding, node: ParquetNode) {
    const { hasZ, hasM } = nativeShape(encoding, node)
    this.#form = forms[encoding]
    this.#hasZ = hasZ
    this.#hasM = hasM
  }

  append(value: NativeValue, target: GeometryBuilder): void {
    if (value === null) {
      target.appendNull()
      return
    }
    const { type, part, depth } = this.#form
    target.header(geometryTypeCode(type), this.#hasZ, this.#hasM)
    if (part === undefined) this.#coordinates(value, depth, target)
    else {
      const parts = Array.isArray(value) ? value : []
      target.count(parts.length)
      for (const one of parts) {
        target.header(geometryTypeCode(part), this.#hasZ, this.#hasM)
        this.#coordinates(one, depth - 1, target)
      }
    }
    target.endGeometry()
  }

  #coordinates(value: NativeValue, depth: number, target: GeometryBuilder): void {
    if (depth > 0) {
      const items = Array.isArray(value) ? value : []
      target.count(items.length)
      for (const item of items) this.#coordinates(item, depth - 1, target)
      return
    }
    const ordinate = (name: string): number => {
      const number = value === null || typeof value !== 'object' || Array.isArray(value) ? null : value[name]
      return typeof number === 'number' ? number : Number.NaN
    }
    target.coordinate(ordinate('x'), ordinate('y'))
    if (this.#hasZ) target.ordinate(ordinate('z'))
    if (this.#hasM) target.ordinate(ordinate('m'))
  }
}
