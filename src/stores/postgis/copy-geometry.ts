import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import type { Fit, GeometryRules } from '../geometry-rules.ts'
import { fitTable, misfitReason, structuralProblem } from '../geometry-rules.ts'
import type { CopyBuffer } from './copy-buffer.ts'

/** Size of byte order, type and count of a multi geometry around a single geometry. */
const multiHeaderBytes = 9

/** Writes the geometries of a COPY as ISO WKB; the column type sets their SRID. */
export class CopyGeometry {
  readonly #rules: GeometryRules
  readonly #isRequired: boolean
  readonly #fits: Fit[]
  #column: GeometryColumn | undefined
  #view: DataView = new DataView(new ArrayBuffer(0))

  constructor(rules: GeometryRules, isRequired: boolean) {
    this.#rules = rules
    this.#isRequired = isRequired
    this.#fits = fitTable(rules)
  }

  bind(column: GeometryColumn | undefined): void {
    this.#column = column
    if (column === undefined) return
    const { buffer, byteOffset, byteLength } = column.bytes
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  /** Like `CopyField.write`. */
  write(out: CopyBuffer, row: number, slack: number): string {
    const column = this.#column
    if (column === undefined || (((column.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) {
      if (this.#isRequired) return 'The geometry column does not take null'
      out.putNull()
      return ''
    }
    const start = column.offsets[row] as number
    const end = column.offsets[row + 1] as number
    const number = this.#view.getUint32(start + 1, true)
    const fit = this.#fits[number] ?? 'typeMismatch'
    if (fit === 'typeMismatch' || fit === 'dimensionMismatch') return misfitReason(this.#rules, number, fit)
    const problem = structuralProblem(this.#view, start)
    if (problem !== '') return problem
    out.reserve(end - start + multiHeaderBytes + slack)
    out.view.setInt32(out.at, end - start + (fit === 'promote' ? multiHeaderBytes : 0))
    out.at += 4
    if (fit === 'promote') this.#putMultiHeader(out, number + 3)
    out.putBytes(column.bytes, start, end)
    return ''
  }

  #putMultiHeader(out: CopyBuffer, number: number): void {
    out.view.setInt8(out.at, 1)
    out.view.setUint32(out.at + 1, number, true)
    out.view.setUint32(out.at + 5, 1, true)
    out.at += multiHeaderBytes
  }
}
