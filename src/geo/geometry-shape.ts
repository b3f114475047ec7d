import type { GeometryType } from './schema.ts'
import { geometryTypeName } from './wkb.ts'

/** What every geometry of a column is written as: singles become multis, and absent Z or M ordinates 0. */
export interface GeometryShape {
  isMulti: boolean
  hasZ: boolean
  hasM: boolean
}

/** Gathers the types and dimensions met in a file, for the schema that holds them all. */
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

  /** The one type met; the multi type where single and multi are mixed; otherwise `Geometry`. */
  get type(): GeometryType {
    for (let code = 1; code <= 7; code += 1) if (this.#typeCodes === 1 << code) return geometryTypeName(code)
    for (let code = 1; code <= 3; code += 1) {
      if (this.#typeCodes === ((1 << code) | (1 << (code + 3)))) return geometryTypeName(code + 3)
    }
    return 'Geometry'
  }
}

/** Whether a type is one of several parts. */
export function isMultiType(type: GeometryType): boolean {
  return type.startsWith('Multi')
}
