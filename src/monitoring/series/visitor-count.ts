import type { BlockByteReader, ByteWriter } from './bytes.ts'
import type { Precision } from './distinct-sketch.ts'
import { DistinctSketch } from './distinct-sketch.ts'

/**
 * Counts distinct visitors of one day. While the day is open a sketch distinguishes them. `close` retains
 * only their number, so that no data of single visitors are stored longer than the daily salt.
 */
export class VisitorCount {
  readonly #precision: Precision
  /** Visitors of a closed day; later ones are counted separately. */
  #closed = 0
  #sketch: DistinctSketch | undefined

  constructor(precision: Precision) {
    this.#precision = precision
  }

  static read(reader: BlockByteReader, precision: Precision): VisitorCount {
    const count = new VisitorCount(precision)
    const mark = reader.integer()
    count.#closed = Math.floor(mark / 2)
    if (mark % 2 === 1) count.#sketch = DistinctSketch.read(reader, precision)
    return count
  }

  get count(): number {
    return this.#closed + (this.#sketch?.estimate() ?? 0)
  }

  /** Adds a visitor by the hash (`hashText`) of the visitor's label. */
  add(hash: number): void {
    this.#sketch ??= new DistinctSketch(this.#precision)
    this.#sketch.addHash(hash)
  }

  merge(other: VisitorCount): void {
    this.#closed += other.#closed
    if (other.#sketch === undefined) return
    this.#sketch ??= new DistinctSketch(this.#precision)
    this.#sketch.merge(other.#sketch)
  }

  addClosed(count: number): void {
    this.#closed += count
  }

  /**
   * Returns the number of visitors that several counts have in common: their sum minus the count of their
   * union. Only for open counts.
   */
  static overlap(counts: readonly VisitorCount[], precision: Precision): number {
    const open = counts.flatMap((one) => one.#sketch ?? [])
    if (open.length < 2) return 0
    const union = new DistinctSketch(precision)
    for (const sketch of open) union.merge(sketch)
    return Math.max(0, open.reduce((sum, one) => sum + one.estimate(), 0) - union.estimate())
  }

  close(): void {
    this.#closed = this.count
    this.#sketch = undefined
  }

  write(writer: ByteWriter): void {
    writer.integer(this.#closed * 2 + (this.#sketch === undefined ? 0 : 1))
    this.#sketch?.write(writer)
  }
}
