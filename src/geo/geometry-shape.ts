import type { GeometryType } from './schema.ts'
import { geometryTypeName } from './wkb.ts'

/** Common form of a column's geometries: single types become multi types, and missing Z or M ordinates become 0. */
export interface GeometryShape {
  isMulti: boolean
  hasZ: boolean
  hasM: boolean
}

/** Collects the geometry types and dimensions in a file, for a schema that includes all of them. */
export class SeenGeometries {
  count = 0
  withZ = 0
  withM = 0
  #typeCodes = 0

  add(typeCode: number, hasZ: boolean, hasM: boolean): void {
    this.count += 1
    this.#typeCodes |= 1 << typeCode
    if (hasZ) this.withZ += 1
    if (hasM) this.withM += 1
  }

  /** The only type; the multi type if single and multi are mixed; otherwise `Geometry`. */
  get type(): GeometryType {
    for (let code = 1; code <= 7; code += 1) if (this.#typeCodes === 1 << code) return geometryTypeName(code)
    for (let code = 1; code <= 3; code += 1) {
      if (this.#typeCodes === ((1 << code) | (1 << (code + 3)))) return geometryTypeName(code + 3)
    }
    return 'Geometry'
  }
}

/** True for types with several parts. */
export function isMultiType(type: GeometryType): boolean {
  return type.startsWith('Multi')
}
