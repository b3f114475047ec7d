import { ProtobufWriter } from './protobuf.ts'

/** Fields of a value message (Mapbox Vector Tile 2.1, section 4.4). */
const valueFields = { text: 1, float: 2, double: 3, int: 4, uint: 5, sint: 6, boolean: 7 }

/** Beyond this twice a number exceeds 2^53: decoders in JavaScript would round it. */
const minOfZigzag = -(2 ** 52)

/** The distinct values of a layer, whatever their attributes, stored as encoded messages. */
export class ValueTable {
  count = 0
  /** Incremented when values are renumbered. */
  generation = 0
  #messages = new ProtobufWriter(1 << 11)
  /** End offset of each message. */
  #ends = new Uint32Array(128)
  /** Open addressing: number of a value plus one, with its hash. */
  #slots = new Uint32Array(512)
  #hashes = new Uint32Array(512)

  clear(): void {
    if (this.count > 0) this.#slots.fill(0)
    this.count = 0
    this.generation += 1
    this.#messages.truncate(0)
  }

  /** Total length of all messages. */
  get length(): number {
    return this.#messages.length
  }

  /** Length of the message of a value. */
  lengthOf(value: number): number {
    return (this.#ends[value] as number) - this.#startOf(value)
  }

  /**
   * Drops all other values, and renumbers the remaining ones in their order. Returns the new numbers by old
   * ones.
   */
  keepOnly(isKept: (value: number) => boolean): Uint32Array {
    const numbers = new Uint32Array(this.count)
    const [messages, ends, before] = [this.#messages, this.#ends, this.count]
    this.#messages = new ProtobufWriter(1 << 11)
    this.#ends = new Uint32Array(128)
    this.#slots = new Uint32Array(512)
    this.#hashes = new Uint32Array(512)
    this.count = 0
    this.generation += 1
    for (let value = 0; value < before; value += 1) {
      if (!isKept(value)) continue
      this.#messages.append(
        messages.bytes,
        value === 0 ? 0 : (ends[value - 1] as number),
        ends[value] as number,
      )
      numbers[value] = this.#keep(this.count === 0 ? 0 : (this.#ends[this.count - 1] as number))
    }
    return numbers
  }

  /** Size of the allocated memory. */
  get sizeBytes(): number {
    return this.#messages.bytes.length + this.#ends.byteLength + this.#slots.byteLength * 2
  }

  /** Adds a UTF-8 text. */
  text(source: Uint8Array, start: number, end: number): number {
    const from = this.#messages.length
    this.#messages.field(valueFields.text, source, start, end)
    return this.#keep(from)
  }

  string(value: string): number {
    const from = this.#messages.length
    this.#messages.textField(valueFields.text, value)
    return this.#keep(from)
  }

  double(value: number): number {
    const from = this.#messages.length
    this.#messages.double(valueFields.double, value)
    return this.#keep(from)
  }

  float(value: number): number {
    const from = this.#messages.length
    this.#messages.float(valueFields.float, value)
    return this.#keep(from)
  }

  /** Adds an integer from -(2^53 - 1) to 2^53 - 1. */
  integer(value: number): number {
    const from = this.#messages.length
    if (value >= 0) {
      this.#messages.tag(valueFields.uint, 0)
      this.#messages.varint(value)
    } else if (value >= minOfZigzag) {
      this.#messages.tag(valueFields.sint, 0)
      this.#messages.varint(-value * 2 - 1)
    } else {
      this.#messages.tag(valueFields.int, 0)
      this.#messages.complement(value)
    }
    return this.#keep(from)
  }

  boolean(value: boolean): number {
    const from = this.#messages.length
    this.#messages.tag(valueFields.boolean, 0)
    this.#messages.varint(value ? 1 : 0)
    return this.#keep(from)
  }

  /** Adds a message created by another table, with its hash: see `messageOf`. */
  message(source: Uint8Array, start: number, end: number, hash: number): number {
    const slot = this.#slotOf(source, start, end, hash)
    const found = this.#slots[slot] as number
    if (found !== 0) return found - 1
    this.#messages.append(source, start, end)
    return this.#add(slot, hash)
  }

  /** Returns a view of the message of a value, valid until a value is added. */
  messageOf(value: number): Uint8Array {
    return this.#messages.bytes.subarray(this.#startOf(value), this.#ends[value])
  }

  /** Appends the message of a value as a field. */
  write(value: number, target: ProtobufWriter, field: number): void {
    target.field(field, this.#messages.bytes, this.#startOf(value), this.#ends[value])
  }

  writeAll(target: ProtobufWriter, field: number): void {
    for (let value = 0; value < this.count; value += 1) this.write(value, target, field)
  }

  #startOf(value: number): number {
    return value === 0 ? 0 : (this.#ends[value - 1] as number)
  }

  /** Returns the number of the message after `from`, which is removed if it already exists. */
  #keep(from: number): number {
    const { bytes, length } = this.#messages
    const hash = hashOfMessage(bytes, from, length)
    const slot = this.#slotOf(bytes, from, length, hash)
    const found = this.#slots[slot] as number
    if (found === 0) return this.#add(slot, hash)
    this.#messages.truncate(from)
    return found - 1
  }

  /** Returns the slot of the message, or where it would be inserted. */
  #slotOf(source: Uint8Array, from: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let found = this.#slots[slot] as number; found !== 0; found = this.#slots[slot] as number) {
      if (this.#hashes[slot] === hash && this.#isSame(found - 1, source, from, end)) break
      slot = (slot + 1) & mask
    }
    return slot
  }

  #add(slot: number, hash: number): number {
    if (this.count === this.#ends.length) {
      const grown = new Uint32Array(this.#ends.length * 2)
      grown.set(this.#ends)
      this.#ends = grown
    }
    this.#ends[this.count] = this.#messages.length
    this.count += 1
    this.#slots[slot] = this.count
    this.#hashes[slot] = hash
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return this.count - 1
  }

  #rehash(): void {
    const [slots, hashes] = [this.#slots, this.#hashes]
    this.#slots = new Uint32Array(slots.length * 2)
    this.#hashes = new Uint32Array(slots.length * 2)
    const mask = this.#slots.length - 1
    for (let at = 0; at < slots.length; at += 1) {
      const value = slots[at] as number
      if (value === 0) continue
      let slot = (hashes[at] as number) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = value
      this.#hashes[slot] = hashes[at] as number
    }
  }

  #isSame(value: number, source: Uint8Array, from: number, end: number): boolean {
    const { bytes } = this.#messages
    const start = this.#startOf(value)
    const count = (this.#ends[value] as number) - start
    if (count !== end - from) return false
    for (let at = 0; at < count; at += 1) if (bytes[start + at] !== source[from + at]) return false
    return true
  }
}

/** Returns a 32-bit hash. */
export function hashOfMessage(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
