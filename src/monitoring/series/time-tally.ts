import type { BlockByteReader, ByteWriter } from './bytes.ts'

/** Ratio of the bounds of adjacent buckets; a quantile differs from the true value by at most half of it. */
const growth = 1.05
const logGrowth = Math.log(growth)
/** Times are stored as integers: tenths of a millisecond. */
const unitsPerMs = 10

/** Converts milliseconds to the stored unit. */
export function toTimeUnits(milliseconds: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER / 1e4, Math.max(0, Math.round(milliseconds * unitsPerMs)))
}

function bucketOf(value: number): number {
  return value <= 1 ? value : 1 + Math.ceil(Math.log(value) / logGrowth)
}

function middleOf(bucket: number): number {
  return bucket <= 1 ? bucket : (2 * growth ** (bucket - 1)) / (growth + 1)
}

/**
 * Times of requests: number, sum, and data for quantiles. Stores all times until `toSketch` is called, then
 * only the count of each bucket. Quantiles of any union have an error of at most 2.5 %.
 */
export class TimeTally {
  #count = 0
  #sum = 0
  /** Single times in no particular order; undefined once buckets are used. */
  #values: number[] | undefined = []
  /** Number of times in each bucket. */
  readonly #buckets: number[] = []

  static read(reader: BlockByteReader, isSketch: boolean): TimeTally {
    const tally = new TimeTally()
    tally.addWritten(reader, isSketch)
    return tally
  }

  /** Skips the output of `write`. */
  static skip(reader: BlockByteReader, isSketch: boolean): void {
    const count = reader.integer()
    if (count === 0) return
    if (!isSketch) {
      for (let left = count; left > 0; left -= 1) reader.integer()
      return
    }
    reader.integer()
    for (let left = count; left > 0; ) {
      const found = reader.integer()
      if (found === 0) reader.integer()
      else left -= found
    }
  }

  /** Adds the output of `write` without creating another tally. */
  addWritten(reader: BlockByteReader, isSketch: boolean): void {
    const count = reader.integer()
    if (count === 0) return
    if (!isSketch) {
      let value = 0
      for (let left = count; left > 0; left -= 1) {
        value += reader.integer()
        this.add(value)
      }
      return
    }
    this.toSketch()
    this.#sum += reader.integer()
    this.#count += count
    for (let bucket = 0, left = count; left > 0; ) {
      const found = reader.integer()
      if (found === 0) bucket += reader.integer()
      else {
        this.#addToBucket(bucket, found)
        left -= found
        bucket += 1
      }
    }
  }

  get count(): number {
    return this.#count
  }

  /** Sum of all times, in tenths of a millisecond. */
  get sum(): number {
    return this.#sum
  }

  /** Adds a time in the unit of `toTimeUnits`. */
  add(value: number): void {
    this.#count += 1
    this.#sum += value
    if (this.#values === undefined) this.#addToBucket(bucketOf(value), 1)
    else this.#values.push(value)
  }

  /** Stores buckets instead of single times from now on. */
  toSketch(): void {
    const values = this.#values ?? []
    this.#values = undefined
    for (const value of values) this.#addToBucket(bucketOf(value), 1)
  }

  merge(other: TimeTally): void {
    this.#count += other.#count
    this.#sum += other.#sum
    if (other.#values === undefined) {
      this.toSketch()
      for (const [bucket, count] of other.#buckets.entries()) if (count > 0) this.#addToBucket(bucket, count)
    } else {
      for (const value of other.#values) {
        if (this.#values === undefined) this.#addToBucket(bucketOf(value), 1)
        else this.#values.push(value)
      }
    }
  }

  /**
   * Returns the least time in milliseconds that the given share of requests, such as 0.95, does not exceed;
   * undefined without requests.
   */
  quantile(share: number): number | undefined {
    const rank = Math.max(1, Math.ceil(share * this.#count - 1e-6))
    const value = this.#values === undefined ? this.#bucketAt(rank) : this.#sortedValues()[rank - 1]
    return value === undefined ? undefined : value / unitsPerMs
  }

  /** Writes the tally; `isSketch` must be true if `toSketch` was called. */
  write(writer: ByteWriter, isSketch: boolean): void {
    if (isSketch) this.toSketch()
    writer.integer(this.#count)
    if (this.#count === 0) return
    if (isSketch) this.#writeBuckets(writer)
    else {
      let last = 0
      for (const value of this.#sortedValues()) {
        writer.integer(value - last)
        last = value
      }
    }
  }

  /**
   * Writes the sum, then the counts from the first bucket on; a zero and a number represent a run of empty
   * buckets.
   */
  #writeBuckets(writer: ByteWriter): void {
    writer.integer(this.#sum)
    let next = 0
    for (const [bucket, count] of this.#sortedBuckets()) {
      if (bucket > next) {
        writer.byte(0)
        writer.integer(bucket - next)
      }
      writer.integer(count)
      next = bucket + 1
    }
  }

  #addToBucket(bucket: number, count: number): void {
    const buckets = this.#buckets
    while (buckets.length <= bucket) buckets.push(0)
    buckets[bucket] = (buckets[bucket] ?? 0) + count
  }

  #bucketAt(rank: number): number | undefined {
    let passed = 0
    for (const [bucket, count] of this.#sortedBuckets()) {
      passed += count
      if (passed >= rank) return middleOf(bucket)
    }
    return undefined
  }

  #sortedValues(): number[] {
    return (this.#values ?? []).sort((a, b) => a - b)
  }

  #sortedBuckets(): [bucket: number, count: number][] {
    return this.#buckets.flatMap((count, bucket): [number, number][] => (count > 0 ? [[bucket, count]] : []))
  }
}
