import { BlockByteReader, ByteWriter } from './bytes.ts'

/** Maximum relative error of a quantile at its rank. */
export const quantileError = 0.01

const growth = (1 + quantileError) / (1 - quantileError)
const logGrowth = Math.log(growth)
const smallest = 1e-3
const largest = 1e12
/** Tolerance for a share multiplied by a count: 0.95 of 20 values is 19. */
const roundingError = 1e-6
/** Bucket of values below the resolution. */
const zeroBucket = Math.ceil(Math.log(smallest) / logGrowth)

/** Returns the bucket of a value: each is wider than the previous one by the same ratio. */
export function bucketOf(value: number): number {
  if (!(value > smallest)) return zeroBucket
  return Math.ceil(Math.log(Math.min(value, largest)) / logGrowth)
}

/** Counts values in buckets, so that quantiles of any union of sketches have an error of at most `quantileError`. */
export class QuantileSketch {
  readonly #counts = new Map<number, number>()
  #count = 0

  /** Decodes the result of `encode`. */
  static decode(bytes: Uint8Array): QuantileSketch {
    const sketch = new QuantileSketch()
    const reader = new BlockByteReader(bytes)
    let bucket = zeroBucket - 1
    for (let left = reader.integer(); left > 0; left -= 1) {
      bucket += reader.integer()
      sketch.addToBucket(bucket, reader.integer())
    }
    return sketch
  }

  /** Number of values. */
  get count(): number {
    return this.#count
  }

  add(value: number): void {
    this.addToBucket(bucketOf(value), 1)
  }

  /** Adds `count` values to a bucket returned by `bucketOf`. */
  addToBucket(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
    this.#count += count
  }

  merge(other: QuantileSketch): void {
    for (const [bucket, count] of other.#counts) this.addToBucket(bucket, count)
  }

  /**
   * Returns the least value that the given share of values, such as 0.95, does not exceed; undefined without
   * values.
   */
  quantile(share: number): number | undefined {
    return this.quantiles([share])[0]
  }

  /** The same for several shares in ascending order. */
  quantiles(shares: readonly number[]): (number | undefined)[] {
    const buckets = this.#sorted()
    let [at, passed] = [-1, 0]
    return shares.map((share) => {
      const rank = Math.ceil(share * this.#count - roundingError)
      while (at < buckets.length && (passed < rank || at < 0)) {
        at += 1
        passed += buckets[at]?.[1] ?? 0
      }
      const bucket = buckets[at]?.[0]
      if (bucket === undefined) return undefined
      return bucket === zeroBucket ? 0 : (2 * growth ** bucket) / (growth + 1)
    })
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(8 + this.#counts.size * 4)
    writer.integer(this.#counts.size)
    let last = zeroBucket - 1
    for (const [bucket, count] of this.#sorted()) {
      writer.integer(bucket - last)
      writer.integer(count)
      last = bucket
    }
    return writer.finish()
  }

  #sorted(): [bucket: number, count: number][] {
    return [...this.#counts].sort(([a], [b]) => a - b)
  }
}
