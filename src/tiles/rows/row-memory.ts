/** Alignment of the sections of chunks, for any type of typed array. */
export const alignment = 8

/** Memory for consecutive chunks of rows, with typed array views. */
export class RowMemory {
  readonly sizeBytes: number
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly doubles: Float64Array
  readonly floats: Float32Array
  readonly words: Uint32Array

  /** Allocates at least this many bytes. */
  constructor(sizeBytes: number) {
    const buffer = new ArrayBuffer(Math.ceil(sizeBytes / alignment) * alignment)
    this.sizeBytes = buffer.byteLength
    this.bytes = new Uint8Array(buffer)
    this.view = new DataView(buffer)
    this.doubles = new Float64Array(buffer)
    this.floats = new Float32Array(buffer)
    this.words = new Uint32Array(buffer)
  }
}
