import { GeometryError, wkbTypeNumber } from '../wkb.ts'
import type { CurveTree } from './curve-tree.ts'
import { circularString, isCurveType, triangle } from './curve-tree.ts'
import { linearize } from './linearize.ts'

const maxDepth = 32

/** The ISO WKB of straight lines of any WKB or EWKB, curves and surfaces among them. Throws `GeometryError`. */
export function linearWkb(source: Uint8Array, start: number, end: number): Uint8Array {
  const reader = new CurveReader(source, start, end)
  return writeTree(linearize(reader.geometry(0)), reader.hasZ, reader.hasM)
}

class CurveReader {
  hasZ = false
  hasM = false
  readonly #view: DataView
  #at = 0

  constructor(source: Uint8Array, start: number, end: number) {
    this.#view = new DataView(source.buffer, source.byteOffset + start, end - start)
  }

  geometry(depth: number): CurveTree {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    const isLittle = this.#view.getUint8(this.#take(1)) === 1
    const number = this.#view.getUint32(this.#take(4), isLittle)
    if ((number & 0x20000000) !== 0) this.#take(4)
    const plain = number & 0x0fffffff
    const thousands = Math.floor(plain / 1000)
    const hasZ = number >>> 31 === 1 || thousands === 1 || thousands === 3
    const hasM = ((number >>> 30) & 1) === 1 || thousands >= 2
    if (depth === 0) [this.hasZ, this.hasM] = [hasZ, hasM]
    else if (hasZ !== this.hasZ || hasM !== this.hasM)
      throw new GeometryError('The parts have different ordinates')
    return this.#body(plain % 1000, isLittle, depth)
  }

  #body(typeCode: number, isLittle: boolean, depth: number): CurveTree {
    const ordinates = 2 + (this.hasZ ? 1 : 0) + (this.hasM ? 1 : 0)
    if (typeCode === 1) return { typeCode, positions: [this.#position(ordinates, isLittle)] }
    const isRings = typeCode === 3 || typeCode === triangle
    if (!isRings && !(typeCode >= 2 && typeCode <= 7) && !isCurveType(typeCode)) {
      throw new GeometryError(`Geometry type ${typeCode} is not supported`)
    }
    const isLine = typeCode === 2 || typeCode === circularString
    const count = this.#count(isLine ? ordinates * 8 : isRings ? 4 : 5, isLittle)
    const parts: CurveTree[] = []
    const positions: number[][] = []
    for (let index = 0; index < count; index += 1) {
      if (isLine) positions.push(this.#position(ordinates, isLittle))
      else parts.push(isRings ? this.#body(2, isLittle, depth) : this.geometry(depth + 1))
    }
    return isLine ? { typeCode, positions } : { typeCode, parts }
  }

  #count(minBytes: number, isLittle: boolean): number {
    const count = this.#view.getUint32(this.#take(4), isLittle)
    if (this.#at + count * minBytes > this.#view.byteLength) this.#endsEarly()
    return count
  }

  #position(ordinates: number, isLittle: boolean): number[] {
    const at = this.#take(ordinates * 8)
    return Array.from({ length: ordinates }, (_, index) => this.#view.getFloat64(at + index * 8, isLittle))
  }

  #take(bytes: number): number {
    const at = this.#at
    if (at + bytes > this.#view.byteLength) this.#endsEarly()
    this.#at += bytes
    return at
  }

  #endsEarly(): never {
    throw new GeometryError(`Geometry ends early: ${this.#view.byteLength} bytes are too few`)
  }
}

/** ISO WKB of a geometry of lines. */
export function writeTree(tree: CurveTree, hasZ: boolean, hasM: boolean): Uint8Array {
  const bytes: Uint8Array[] = []
  writeGeometry(bytes, tree, hasZ, hasM)
  return Buffer.concat(bytes)
}

function writeGeometry(bytes: Uint8Array[], tree: CurveTree, hasZ: boolean, hasM: boolean): void {
  const head = Buffer.alloc(5)
  head[0] = 1
  head.writeUInt32LE(wkbTypeNumber(tree.typeCode, hasZ, hasM), 1)
  bytes.push(head)
  if ('parts' in tree) {
    bytes.push(countBytes(tree.parts.length))
    for (const part of tree.parts) {
      if (tree.typeCode === 3 && 'positions' in part) writePositions(bytes, part.positions)
      else writeGeometry(bytes, part, hasZ, hasM)
    }
  } else if (tree.typeCode === 1) bytes.push(ordinateBytes(tree.positions))
  else writePositions(bytes, tree.positions)
}

function writePositions(bytes: Uint8Array[], positions: readonly number[][]): void {
  bytes.push(countBytes(positions.length), ordinateBytes(positions))
}

function countBytes(count: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}

function ordinateBytes(positions: readonly number[][]): Uint8Array {
  const ordinates = Float64Array.from(positions.flat())
  return new Uint8Array(ordinates.buffer)
}
