import type { ProtobufWriter } from '../protobuf.ts'
import type { WholeRings } from './whole-rings.ts'

/** Types of geometry and commands (Mapbox Vector Tile 2.1, section 4.3). */
export const pointType = 1
export const lineType = 2
export const polygonType = 3
const [moveTo, lineTo, closePath] = [1, 2, 7]

const zigzag = (value: number): number => (value << 1) ^ (value >> 31)

/** Writes one geometry as commands. */
export class CommandWriter {
  vertices = 0
  readonly #target: ProtobufWriter
  #x = 0
  #y = 0

  constructor(target: ProtobufWriter) {
    this.#target = target
  }

  begin(): void {
    this.#target.truncate(0)
    this.vertices = 0
    this.#x = 0
    this.#y = 0
  }

  points(xs: Int32Array, ys: Int32Array, count: number): void {
    this.#target.varint(moveTo + count * 8)
    for (let at = 0; at < count; at += 1) this.#to(xs[at] as number, ys[at] as number)
  }

  line(xs: Int32Array, ys: Int32Array, start: number, end: number): void {
    this.#target.varint(moveTo + 8)
    this.#to(xs[start] as number, ys[start] as number)
    this.#target.varint(lineTo + (end - start - 1) * 8)
    for (let at = start + 1; at < end; at += 1) this.#to(xs[at] as number, ys[at] as number)
  }

  /** Writes a ring in the direction in which an outer ring has a positive area and a hole a negative one. */
  ring({ xs, ys, areas, ends }: WholeRings, ring: number, start: number, isOuter: boolean): void {
    const end = ends[ring] as number
    if ((areas[ring] as number) > 0 === isOuter) this.line(xs, ys, start, end)
    else {
      this.#target.varint(moveTo + 8)
      this.#to(xs[start] as number, ys[start] as number)
      this.#target.varint(lineTo + (end - start - 1) * 8)
      for (let at = end - 1; at > start; at -= 1) this.#to(xs[at] as number, ys[at] as number)
    }
    this.#target.varint(closePath + 8)
  }

  #to(x: number, y: number): void {
    this.#target.varint(zigzag(x - this.#x) >>> 0)
    this.#target.varint(zigzag(y - this.#y) >>> 0)
    this.#x = x
    this.#y = y
    this.vertices += 1
  }
}
