/** Sections of chunks begin where every array of numbers may begin. */
export const alignment = 8

/** Memory into which chunks of rows are read one behind the other, by all the views that it is looked at by. */
export class RowMemory {
  readonly sizeBytes: number
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly doubles: Float64Array
  readonly floats: Float32Array
  readonly words: Uint32Array

  /** For so many bytes at least. */
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
