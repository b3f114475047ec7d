import { BlockByteReader, ByteWriter } from './bytes.ts'
import { DistinctSketch } from './distinct-sketch.ts'

/** Distinct labels and users summed in `(other)`. */
export class OtherSketch {
  readonly labels: DistinctSketch
  readonly users: DistinctSketch

  constructor(labels = new DistinctSketch(), users = new DistinctSketch()) {
    this.labels = labels
    this.users = users
  }

  /** Decodes the result of `encode`. */
  static decode(bytes: Uint8Array): OtherSketch {
    const reader = new BlockByteReader(bytes)
    const labels = DistinctSketch.read(reader)
    return new OtherSketch(labels, DistinctSketch.read(reader))
  }

  merge(other: OtherSketch): void {
    this.labels.merge(other.labels)
    this.users.merge(other.users)
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(64)
    this.labels.write(writer)
    this.users.write(writer)
    return writer.finish()
  }
}
