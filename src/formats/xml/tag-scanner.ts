import type { ScannedTag } from './tag-memo.ts'
import { TagMemo } from './tag-memo.ts'
import type { WordTable } from './word-table.ts'
import { hashByte } from './word-table.ts'
import { outOfXmlBytes, XmlSyntaxError } from './xml-error.ts'

const deepest = 100
const maxAttributes = 256

/**
 * Reads elements from `bytes[at, end)`, where `bytes[end]` is 0. `child` opens the next element; the caller
 * must consume it by `skip`, or by `child` until it returns false. Names are compared by their local part.
 * Throws `XmlSyntaxError`, or `outOfXmlBytes` if more bytes could make the token valid. A document type
 * declaration is rejected, so that there are no entities to expand.
 */
export class TagScanner {
  bytes: Uint8Array = new Uint8Array(1)
  at = 0
  end = 0
  /** Number of open elements. */
  depth = 0
  /** Offset of the last opened tag; number of elements open before it. */
  tagStart = 0
  tagDepth = 0
  protected readonly tag: ScannedTag = {
    start: 0,
    end: 0,
    nameStart: 0,
    nameEnd: 0,
    nameHash: 0,
    isEmpty: false,
    attributeCount: 0,
    attributes: new Int32Array(maxAttributes * 4),
  }
  /** True if the last opened element has no end tag and its end is still to be reported. */
  protected isEmpty = false
  readonly #memo = new TagMemo()
  /** Hash of the local name, and length of the whole name, of each open element. */
  readonly #open = new Int32Array(deepest * 2)

  fail(message: string, at = this.at): never {
    if (at >= this.end) throw outOfXmlBytes
    throw new XmlSyntaxError(message, at)
  }

  /** Returns to a position between tags where `depth` elements were open. */
  reset(at: number, depth: number): void {
    this.at = at
    this.depth = depth
    this.isEmpty = false
  }

  /**
   * Skips white space, comments and instructions outside of the root element; returns the next byte, 0 at the
   * end.
   */
  passMisc(): number {
    const { bytes } = this
    for (;;) {
      let byte = bytes[this.at] as number
      while (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) {
        this.at += 1
        byte = bytes[this.at] as number
      }
      if (byte !== 0x3c) return byte
      if (this.at + 1 >= this.end) throw outOfXmlBytes
      const next = bytes[this.at + 1]
      if (next !== 0x21 && next !== 0x3f) return byte
      this.at = this.passMarkup(this.at)
    }
  }

  /** Opens the root element. */
  root(): void {
    if (this.passMisc() !== 0x3c) this.fail('An element was expected')
    this.openTag(this.at)
  }

  /**
   * Opens the next child of the open element and skips text; returns false after the end of the open element.
   */
  child(): boolean {
    if (this.isEmpty) {
      this.isEmpty = false
      return false
    }
    const { bytes } = this
    let at = this.at
    for (;;) {
      let byte = bytes[at] as number
      while (byte !== 0x3c) {
        if (byte === 0) this.fail('A NUL character stands in the file', at)
        at += 1
        byte = bytes[at] as number
      }
      const next = bytes[at + 1] as number
      if (next === 0x2f) {
        this.at = this.closeTag(at + 2)
        return false
      }
      if (next !== 0x21 && next !== 0x3f) {
        this.openTag(at)
        return true
      }
      at = this.passMarkup(at)
    }
  }

  /** Skips the rest of the current element. */
  skip(): void {
    for (let inside = 1; inside > 0; ) inside += this.child() ? 1 : -1
  }

  /** Returns the index of the name of the last opened element in the table, or -1. */
  word(table: WordTable): number {
    const { nameStart, nameEnd, nameHash } = this.tag
    return table.find(this.bytes, nameStart, nameEnd, nameHash)
  }

  protected openTag(start: number): void {
    const { bytes, tag } = this
    if (!this.#memo.recall(bytes, start, tag)) {
      this.#scanTag(start)
      this.#memo.keep(bytes, tag)
    }
    this.tagStart = start
    this.tagDepth = this.depth
    this.isEmpty = tag.isEmpty
    this.at = tag.end
    if (tag.isEmpty) return
    if (this.depth === deepest) {
      throw new XmlSyntaxError(`Elements are nested more than ${deepest} deep`, start)
    }
    this.#open[this.depth * 2] = tag.nameHash
    this.#open[this.depth * 2 + 1] = tag.nameEnd - start - 1
    this.depth += 1
  }

  #scanTag(start: number): void {
    const { bytes, tag } = this
    let at = start + 1
    let hash = 0
    let nameStart = at
    let byte = bytes[at] as number
    if (byte < 0x41) this.fail('A name was expected behind "<"', at)
    while (byte > 0x20 && byte !== 0x3e && byte !== 0x2f) {
      if (byte === 0x3a) {
        nameStart = at + 1
        hash = 0
      } else if (byte === 0x3c) this.fail('"<" stands in a name', at)
      else hash = hashByte(hash, byte)
      at += 1
      byte = bytes[at] as number
    }
    tag.start = start
    tag.nameStart = nameStart
    tag.nameEnd = at
    tag.nameHash = hash
    tag.attributeCount = 0
    this.#passAttributes(at)
  }

  /** Reads the tag to its end. */
  #passAttributes(from: number): void {
    const { bytes, tag } = this
    let at = from
    for (;;) {
      while (isSpace(bytes[at] as number)) at += 1
      const byte = bytes[at] as number
      if (byte === 0x3e) {
        tag.end = at + 1
        tag.isEmpty = false
        return
      }
      if (byte === 0x2f) {
        if (bytes[at + 1] !== 0x3e) this.fail('">" was expected behind "/"', at + 1)
        tag.end = at + 2
        tag.isEmpty = true
        return
      }
      at = this.#passAttribute(at)
    }
  }

  #passAttribute(from: number): number {
    const { bytes } = this
    let at = from
    let nameStart = at
    let byte = bytes[at] as number
    while (byte > 0x22 && byte !== 0x27 && byte !== 0x3d && byte !== 0x3c && byte !== 0x3e && byte !== 0x2f) {
      if (byte === 0x3a) nameStart = at + 1
      at += 1
      byte = bytes[at] as number
    }
    if (at === from) this.fail('The name of an attribute was expected', at)
    const nameEnd = at
    while (isSpace(bytes[at] as number)) at += 1
    if (bytes[at] !== 0x3d) this.fail('"=" was expected behind the name of an attribute', at)
    at += 1
    while (isSpace(bytes[at] as number)) at += 1
    const quote = bytes[at] as number
    if (quote !== 0x22 && quote !== 0x27) this.fail('A value in quotes was expected', at)
    at += 1
    const valueStart = at
    for (byte = bytes[at] as number; byte !== quote; byte = bytes[at] as number) {
      if (byte === 0 || byte === 0x3c) this.fail('The value of an attribute does not end', at)
      at += 1
    }
    this.#addAttribute(nameStart, nameEnd, valueStart, at)
    return at + 1
  }

  #addAttribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const { attributes, attributeCount } = this.tag
    if (attributeCount === maxAttributes) {
      throw new XmlSyntaxError(`An element has more than ${maxAttributes} attributes`, nameStart)
    }
    const at = attributeCount * 4
    attributes[at] = nameStart
    attributes[at + 1] = nameEnd
    attributes[at + 2] = valueStart
    attributes[at + 3] = valueEnd
    this.tag.attributeCount = attributeCount + 1
  }

  /** Closes the innermost element by the end tag whose name is at `from`; returns the position after it. */
  protected closeTag(from: number): number {
    const { bytes } = this
    let at = from
    let hash = 0
    let byte = bytes[at] as number
    while (byte > 0x20 && byte !== 0x3e) {
      hash = byte === 0x3a ? 0 : hashByte(hash, byte)
      at += 1
      byte = bytes[at] as number
    }
    const length = at - from
    while (isSpace(bytes[at] as number)) at += 1
    if (bytes[at] !== 0x3e) this.fail('">" was expected at the end of a tag', at)
    const open = (this.depth - 1) * 2
    if (this.depth === 0 || this.#open[open] !== hash || this.#open[open + 1] !== length) {
      const name = Buffer.from(bytes.subarray(from, Math.min(from + length, from + 40))).toString('utf8')
      throw new XmlSyntaxError(`"</${name}>" does not close the element that is open`, from)
    }
    this.depth -= 1
    return at + 1
  }

  /** Skips a comment, a CDATA section or an instruction. */
  protected passMarkup(start: number): number {
    const { bytes } = this
    if (bytes[start + 1] === 0x3f) return this.#passTo(start + 2, 0x3f, 1)
    if (bytes[start + 2] === 0x2d) {
      if (bytes[start + 3] !== 0x2d) this.fail('A comment begins with "<!--"', start + 3)
      return this.#passTo(start + 4, 0x2d, 2)
    }
    if (bytes[start + 2] !== 0x5b) {
      if (start + 2 >= this.end) throw outOfXmlBytes
      const message =
        'The file declares a document type or entities (<!DOCTYPE ...>), which are not read: take that part out'
      throw new XmlSyntaxError(message, start, 'document-type')
    }
    for (let i = 0; i < cdataWord.length; i += 1) {
      if (bytes[start + 3 + i] !== cdataWord[i]) this.fail('"<![CDATA[" was expected', start + 3 + i)
    }
    return this.#passTo(start + 9, 0x5d, 2)
  }

  /** Returns the position after the next ">" that follows `count` bytes `mark`, from `from` on. */
  #passTo(from: number, mark: number, count: number): number {
    const { bytes } = this
    for (let at = bytes.indexOf(0x3e, from); at >= 0 && at < this.end; at = bytes.indexOf(0x3e, at + 1)) {
      const isMarked = bytes[at - 1] === mark && (count === 1 || bytes[at - 2] === mark)
      if (isMarked && at - count >= from) return at + 1
    }
    throw outOfXmlBytes
  }
}

const cdataWord = new TextEncoder().encode('CDATA[')

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
